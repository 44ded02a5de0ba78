// DerivedWriter: collects the derived tracks of one host.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/question/transfers/copy_details.h"
#include "gait/analyze/vocabulary/scope_name.h"
#include "gait/timeline/derive/derive.h"
#include "gait/trace/trace_builder.h"

namespace gait::timeline {

// The order of tracks in their group by kind; captured tracks have kCapturedOrder.
enum DerivedOrder : int {
  kStepsOrder = 10,
  kProgramsOrder = 20,
  kScopesOrder = 30,
  kCollectivesOrder = 40,
  kIdleOrder = 200,
  kCopiesOrder = 210,
  kMemoryOrder = 220,
  kBusyOrder = 230,
};

struct DerivedTrack {
  PlaneId plane;  // of the capture: whose group it goes into
  std::string title;
  std::string type;
  int order = 0;
  std::string about{};
};

// "vm/GPU 0//steps". Keys of captured tracks have no second slash at this place, so no such key is equal.
std::string DerivedKey(const Group& group, std::string_view title);

// Whether copies of that kind have a track.
bool IsDrawn(analyze::CopyKind kind);

// The rows of a scope: root, pass, path. Host scopes, which only the work itself tells, come on top of that.
size_t RowsOf(const analyze::ScopeName& scope);

class DerivedWriter {
 public:
  DerivedWriter(const Timeline& timeline, size_t host);

  StringId Intern(std::string_view text) { return builder_.Intern(text); }

  // A new track of slices. Fill it with Arg and Event, then pass it to AddSlices. Empty tracks are dropped.
  TrackWriter NewSlices(const DerivedTrack& what, Layout layout);
  void AddSlices(const DerivedTrack& what, TrackWriter writer);
  void AddCounter(const DerivedTrack& what, std::string unit, const std::vector<CounterPoint>& points);

  // Moves everything to the result.
  void Finish(Derived& derived) &&;

 private:
  TimelineTrack NewTrack(const DerivedTrack& what) const;

  const Timeline& timeline_;
  size_t host_;
  TraceBuilder builder_;
  PlaneId plane_;
  std::vector<TimelineTrack> tracks_;
};

// One function per kind of track. `d` is the device of the view's host.
void DeriveSteps(DerivedWriter& out, const analyze::HostView& host, size_t d);
void DeriveBusyAndIdle(DerivedWriter& out, const analyze::HostView& host, size_t d);
void DeriveProgramsAndScopes(DerivedWriter& out, const analyze::HostView& host, size_t d);
void DeriveCopies(DerivedWriter& out, const analyze::HostView& host);
void DeriveMemory(DerivedWriter& out, const analyze::HostView& host);
void DeriveCollectives(std::vector<std::unique_ptr<DerivedWriter>>& out, const analyze::RunView& view);

}  // namespace gait::timeline
