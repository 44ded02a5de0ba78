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

// `known` says which call gave the task in which a run was the first to run: mostly its own. Programs are
// told apart by name where calls and runs have one; a known pair of two names is none.
//
// JAX counts up run ids for each program, call by call, whichever thread and device: where the runs of a name
// are of one counter, ids tell the places of their calls, and most of the known ones where that begins. Where
// none is known, and there are no more calls than runs, the last call's is the last run, provided that every
// call begins before its run: runs before were asked for before the capture. No run is paired with a call
// that begins after it.
//
// Where several programs share a name, or calls have none, known pairs stay and the other runs go in order of
// time, or take turns as in a loop: whichever fits the known ones, on one device rather that of time.
CallOfRun PairRuns(std::vector<UnnamedCall> calls, std::vector<UnnamedRun> runs, const CallOfRun& given);

}  // namespace gait::analyze
