// Area: the slices in a window of some tracks, by name, operation, scope or category, and where the time of
// the devices in the window went.
//
//   count   slices that reach into the window
//   total   the sum of their parts inside
//   self    the part of the window in which the slice is the last-begun one of the slices that run on its
//           track; over all slices of a track these sum to the track's busy time in the window
//   mean, p50, p99, min, max   of the whole slices
// Devices: the time partition (analyze/device/partition.h) of the captured part of the window, from the
// host's first event to its last, with idle time by cause (analyze/question/idle/gaps.h). Time before the
// first and after the last work of the host's devices is idle of unknown cause.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "gait/analyze/device/partition.h"
#include "gait/analyze/host/idle_cause.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"
#include "gait/timeline/book.h"

namespace gait::timeline {

enum class AreaBy : uint8_t { kName, kOperation, kScope, kCategory };
std::optional<AreaBy> ParseAreaBy(std::string_view name);

struct AreaQuery {
  Interval window;                 // on the run's clock
  std::vector<uint32_t> tracks{};  // by number; empty: all tracks of slices that are not derived
  AreaBy by = AreaBy::kName;
  std::stop_token stop{};  // nobody waits any more: what is returned then is not whole
};

struct AreaRow {
  std::string name;
  uint32_t name_id = kNoName;  // the heaviest of those it stands for
  std::string category;
  std::string scope;       // of the operation that the heaviest executes
  bool on_device = false;  // slices of devices and of hosts are never in one row
  uint64_t count = 0;
  Ps total;
  Ps self;
  analyze::DurationStatistics whole;
};

struct AreaDevice {
  std::string device;
  std::string host;
  analyze::Partition time;
  analyze::TimeByCause idle{};  // sums to time.idle
};

// A host with devices in the selection whose capture does not cover the whole window.
struct AreaHost {
  std::string host;
  Ps captured;  // 0: its devices are left out
};

struct Area {
  std::vector<AreaRow> rows;  // most self time first
  std::vector<AreaDevice> devices;
  std::vector<AreaHost> partly{};
};

// O(slices in the window), on all threads. `view` is of the whole run.
Area FindArea(const Book& book, const Timeline& timeline, const analyze::RunView& view,
              const AreaQuery& query);

report::Document AreaDocument(const Area& area, const AreaQuery& query, const analyze::LoadedRun& run);

}  // namespace gait::timeline
