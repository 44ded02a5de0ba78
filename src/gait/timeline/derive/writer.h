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

// Where tracks of a kind stand in their group; the capture's own have kCapturedOrder.
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

// "vm/GPU 0//steps": a slash that names of the capture do not have at this place, so no key of theirs is the
// same.
std::string DerivedKey(const Group& group, std::string_view title);

// Whether copies of that kind have a track.
bool IsDrawn(analyze::CopyKind kind);

// How many rows a scope takes: root, pass, path. Scopes of the host, which only the work itself tells, come
// on top.
size_t RowsOf(const analyze::ScopeName& scope);

class DerivedWriter {
 public:
  DerivedWriter(const Timeline& timeline, size_t host);

  StringId Intern(std::string_view text) { return builder_.Intern(text); }

  // A new track of slices; fill it with Arg and Event, then hand it to AddSlices. Empty ones are dropped.
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
