// Which call asked for which run, where calls name no run: programs that XLA:CPU runs on one device.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

struct UnnamedCall {
  EventRef event;
  Interval time;
  std::string module;  // the program's name, where the function around the call says; else empty
};
struct UnnamedRun {
  int64_t id;
  Ps begin;  // of its first operation
  TrackId device;
  std::string module;
};
using CallOfRun = std::unordered_map<int64_t, EventRef>;

// `given` says which call gave the task in which a run was the first to run: mostly the run's own call.
// Programs are told apart by name where calls and runs have names; a given pair whose names differ does not
// count.
//
// JAX has a counter of run ids for each program, and counts up with each call, on any thread and device.
// Where all runs of a name are of one counter, ids tell the order of their calls, and the majority of the
// given pairs tells which call comes first. Of calls of several threads that overlap in time no order is
// known: there a given pair stays. Where no pair is given, and there are no more calls than runs, the last
// call asked for the last run, provided that every call begins before its run; earlier runs were asked for
// before the capture. No run is paired with a call that begins after the run.
//
// Where several programs share a name, or calls have no name, the given pairs stay. The other runs are paired
// in order of time, or in turns as in a loop, whichever fits the given pairs. If both fit, a single device
// takes the order of time.
CallOfRun PairRuns(std::vector<UnnamedCall> calls, std::vector<UnnamedRun> runs, const CallOfRun& given);

}  // namespace gait::analyze
