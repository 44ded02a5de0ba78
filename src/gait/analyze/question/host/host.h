// What the threads of a host did.
//
//   total   of an activity on one thread: length of the union of its events (a function that calls itself
//           counts once); summed over threads
//   self    time in which the activity's event was the innermost of the thread (thread_sweep.h)
//
// All times are clipped to the host's steps that count (input_split.h); without steps, to the whole capture.
// The main thread is the thread with the steps; several threads may have steps, and are then all main
// threads. Where steps are inferred, or there are none, it is the thread that runs the user's Python code.
// Unit: picoseconds, integers. Identities: per thread, the self times of all activities sum to the time that
// its events cover; self <= total.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/question/host/input_split.h"
#include "gait/analyze/view/run_view.h"
#include "gait/analyze/vocabulary/host_names.h"

namespace gait::analyze {

struct ActivityTime {
  std::string name;
  HostKind kind = HostKind::kRuntime;
  uint64_t count = 0;  // events that reach into the windows
  Ps total;
  Ps self;
  Ps durations;  // sum over the events, whole
  Ps longest;    // the longest event, whole
  uint64_t threads = 0;
  Ps main_total;  // total and self on the main thread, in its own steps
  Ps main_self;
  Ps main_rest;  // of main_total: while the main thread did nothing that a part stands for (host_part.h)

  // Whether the program's own code did not ask for the activity. Such rows come after all others.
  bool aside() const { return kind == HostKind::kOperation || kind == HostKind::kProfiler; }
  Ps mean() const { return count == 0 ? Ps() : durations / static_cast<int64_t>(count); }
};

struct HostThread {
  std::string name;
  int64_t ordinal = 1;  // among the host's threads of this name, in the order of the capture
  bool main = false;
  uint64_t events = 0;        // that reach into the windows
  Ps busy;                    // covered by events other than step annotations
  std::optional<size_t> top;  // activity with the largest self time, steps left out
};

struct HostTime {
  std::vector<ActivityTime>
      activities;  // largest self time first, operations of XLA:CPU and the profiler's own work last
  std::vector<HostThread>
      threads;  // the main one, then the busiest first; only those with events in the windows
  std::vector<HostStepSplit> steps;  // in order of begin; empty: the capture has no steps
  Ps window;                         // length of the time that the numbers cover
  bool has_main = false;
  bool has_python = false;            // anywhere in the capture
  std::string loop{};                 // StepSeries::LoopText
  bool waits = false;                 // the host goes on when a step is done, not sooner
  bool inferred = false;              // steps are inferred from launches
  std::array<Ps, kHostKinds> self{};  // by HostKind, over all threads

  HostStepSplit Sum() const;  // over the steps that count
  int64_t counted() const { return std::ranges::count_if(steps, &HostStepSplit::counts); }
};

HostTime AnalyzeHost(const HostView& view);

}  // namespace gait::analyze
