// Which events of a run `gait dump` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/pattern.h"
#include "gait/base/result.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct DumpOptions {
  std::string track{};       // what info and dump call a track, its name, its id, or a regular expression
  std::string name{};        // a regular expression on the event's name
  std::optional<Ps> from{};  // events that reach into [from, to), on the clock of the run
  std::optional<Ps> to{};
  uint64_t limit = 0;  // rows to write; 0: all
};

// The wanted events of one host. Names are interned, so each name is matched once.
class EventSelection {
 public:
  EventSelection(const Trace& trace, const DumpOptions& options, const Pattern& name,
                 std::vector<TrackId> tracks);

  const std::vector<TrackId>& tracks() const { return tracks_; }

  // The begin of the event on the clock of the run; nullopt on a track of sums: sums have no time.
  std::optional<Ps> Begin(const Track& track, EventIndex event) const;

  // The first wanted event of a track from `at` on; the track's size when there is none.
  uint32_t Next(const Track& track, uint32_t at);
  uint64_t Count();

 private:
  enum class Match : uint8_t { kUntried, kYes, kNo };

  bool InWindow(const Track& track, EventIndex event) const;
  bool Wanted(const Track& track, EventIndex event);

  const Trace& trace_;
  std::optional<Ps> from_;
  std::optional<Ps> to_;
  bool every_name_;
  Pattern name_;
  std::vector<Match> by_name_;  // by StringId
  std::vector<Match> by_args_;  // by ArgSetId: the display name is an argument
  std::vector<TrackId> tracks_;
};

// The name that viewers show instead of the event's own; empty when the capture has none.
std::string_view DisplayName(const Trace& trace, ArgSetId args);

// The tracks of each host that `wanted` means: tracks with this printed name, plain name or id; where there
// are none, tracks that `wanted` matches as a regular expression. An empty `wanted` means all tracks that are
// not derived. A usage error when no track is found.
Result<std::vector<std::vector<TrackId>>> WantedTracks(const LoadedRun& run, const std::string& wanted);

}  // namespace gait::analyze
