// What was compiled while the capture ran, how long the compilations took, and their reasons.
//
//   compilation     one jitted call that lowered or compiled (tasks.h)
//   time            its share of the wall, by phase (shares.h)
//   step            the step that the compilation held up: the host was in this step when the call began;
//                   between two steps the next one
//   window          from the begin of the first selected step to the end of the last, on the host and on the
//                   devices; the whole capture where there are no steps
//   idle meanwhile  time of compiling during which a device did nothing, mean over devices
//
// Identity: the times of the compilations sum to the wall, which is the union of the threads' work; so do the
// phases and the stages. Picoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gait/analyze/question/compile/reasons.h"
#include "gait/analyze/question/compile/shares.h"
#include "gait/analyze/question/compile/tasks.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct Compilation {
  std::string function;  // "train_step"; empty: unknown
  std::string module;    // "jit_train_step"; empty: unknown
  uint64_t nth = 1;      // of the function in this capture
  Interval span;
  Ps wall;     // its share
  Ps elapsed;  // what the caller waited
  PhaseTimes phases{};
  bool compiled = true;  // false: lowered only, or read from a cache
  CacheResult cache = CacheResult::kUnknown;
  std::optional<int64_t> step;  // that it held up
  TrackId thread;               // that asked; invalid: compiler's work that no call surrounds, all of it
  EventIndex event;             // of the thread, that it begins with
  CompileReason reason;

  Ps phase(CompilePhase p) const { return phases[static_cast<size_t>(p)]; }
  bool asked() const { return thread.valid(); }
  bool from_cache() const { return cache == CacheResult::kHit || cache == CacheResult::kLikelyHit; }
};

struct HostCompiles {
  const HostView* view;
  std::vector<Compilation> compilations;  // in order of begin
  CompileShares shares;
  Interval window;
  bool window_of_steps = false;
  Ps in_window;            // part of the wall inside the window
  Ps idle_meanwhile;       // of the wall
  uint64_t steps = 0;      // of the window
  uint64_t steps_hit = 0;  // with a compilation in them

  Ps wall() const { return shares.wall; }
  Ps phase(CompilePhase p) const;
  uint64_t compiled() const;    // programs
  uint64_t in_steps() const;    // programs compiled while steps ran
  uint64_t from_cache() const;  // programs that were lowered and then read from a cache
};

// Totals of a run. Hosts compile the same programs at the same time, so each total is the largest of any
// host.
struct CompileTotals {
  Ps wall;
  Ps autotuning;  // of the host with that wall
  uint64_t compiled = 0;
  uint64_t in_steps = 0;  // compiled while steps ran
};

CompileTotals MostOfAnyHost(std::span<const HostCompiles> hosts);

// The compilations by host. With a selected program only the program's compilations, with selected steps only
// those that ran during the steps. Made once and kept with the view.
Result<std::span<const HostCompiles>> FindCompilations(const RunView& view);

}  // namespace gait::analyze
