// Which call asked for which run, where calls do not name their runs: programs that XLA:CPU runs on one
// device.
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
  Ps begin;
  std::string module;  // the program's name, where the function around the call says; else empty
};
struct UnnamedRun {
  int64_t id;
  Ps begin;  // of its first operation
  TrackId device;
  std::string module;
};
using CallOfRun = std::unordered_map<int64_t, EventRef>;

// The calls of `known` stay; the other runs are paired in order, beginning where most of the known ones say.
// Where none is known, and there are no more calls than runs, the last call's is the last run, provided that
// every call begins before its run: runs before were asked for before the capture. No run is paired with a
// call that begins after it.
//
// One device runs in the order of the calls. Of several, each takes up its runs when it can: there programs
// are told apart by name, and run ids give the order, which JAX counts up for each program over all devices.
// What neither tells apart takes turns, as in a loop, or goes in order of time: whichever fits the known
// ones.
CallOfRun PairRuns(std::vector<UnnamedCall> calls, std::vector<UnnamedRun> runs, const CallOfRun& known);

}  // namespace gait::analyze
