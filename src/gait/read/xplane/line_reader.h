// The hot loop: the events of one line, with their arguments, into a TrackWriter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "gait/read/xplane/event_decoder.h"
#include "gait/read/xplane/space_index.h"
#include "gait/read/xplane/tables.h"
#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// Called for each part of the file that was read, in steps of some megabytes, to show progress and to give
// pages back.
using PartRead = std::function<void(std::string_view part)>;

// The fields of a line beside its events. These fields may stand behind the events, so reading them is a walk
// that skips the events.
struct LineHeader {
  int64_t id = 0;
  std::string_view name;
  std::string_view display_name;
  std::optional<int64_t> display_id;
  int64_t timestamp_ns = 0;
  size_t events = 0;
};
LineHeader ReadLineHeader(std::string_view line, const PartRead& done);

// Reads all events of the line, their times counted from base_ns. Events that have a count instead of a time
// go to the track that `counted` returns.
void ReadLine(const LineIndex& line, const PlaneTables& tables, int64_t base_ns, const PartRead& done,
              TrackWriter& events, const CountedTrack& counted);

}  // namespace gait::xplane
