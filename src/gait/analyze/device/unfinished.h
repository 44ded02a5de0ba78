// Launches whose work has no end in the capture: the capture ended while the work ran, or before the work
// began. A loop that drops its results leaves such launches, and so does a capture that does not wait for its
// launches.
//
//   CPU   a call of a program that has no run, or whose run did not write "ThunkExecutor::Execute (wait for
//         completion)" on each device that ran it
//   GPU   a call of a program with a launch of a kernel or a CUDA graph that has no work on a device, by
//         correlation id
//
// Launches behind the beginning of gait's own wait for all of them are none of the capture's. Such launches
// are the last ones of their thread. A launch without work before a launch whose work is whole is not
// counted: its program had nothing to run (it only hands on its arguments), or the capture does not tell.
// Nothing is counted in captures of versions that do not record how runs end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct UnfinishedLaunch {
  std::string program;
  Ps begin;  // of the call
};

// O(events of host threads and of the devices' work).
std::vector<UnfinishedLaunch> FindUnfinishedLaunches(const Trace& trace);
// How many, by program.
std::map<std::string, uint64_t> FindUnfinished(const Trace& trace);

// Adds them to the run's losses. The manifest counts such launches too: of one program the larger number is
// taken.
void AddUnfinishedLosses(LoadedRun& run);

}  // namespace gait::analyze
