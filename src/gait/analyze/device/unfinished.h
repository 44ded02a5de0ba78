// Launches whose work has no end in the capture: it ended while they ran, or before they began. A loop that
// drops its results, or a capture that does not wait for what it launched, makes such.
//
//   CPU   a call of a program whose run did not write "ThunkExecutor::Execute (wait for completion)" on each
//         device that ran it, or that has no run at all
//   GPU   a call of a program with a launch of a kernel or a CUDA graph, by correlation id, that nothing on a
//         device belongs to
//
// Such launches are the last ones. One that a later launch of its thread overtook, whose work is whole, has
// nothing to run (a program that only hands on its arguments) or cannot be told, and is not counted; nor is
// anything in captures of versions that do not record how runs end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// How many, by program. O(events of host threads and of the devices' work).
std::map<std::string, uint64_t> FindUnfinished(const Trace& trace);

// Adds them to the run's losses, with what the manifest counted: of one program the larger number.
void AddUnfinishedLosses(LoadedRun& run);

}  // namespace gait::analyze
