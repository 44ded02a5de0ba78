// ScaleRunner: the same program on different numbers of devices, one after the other, each captured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/base/result.h"

namespace gait::cli {

struct ScaleRequest {
  std::vector<std::string> command;  // the program and its arguments
  std::vector<int64_t> devices;  // empty: 1, 2, 4, 8, as far as the machine has GPUs; a CPU has any number
  std::string directory;         // captures go to <directory>/<N>gpu_<stamp>
  std::string steps;             // as `gait run --steps`; empty: its own choice
  std::string gait;              // the command, which may be another file than this process's
};

// A run of the program that left a capture.
struct ScaledRun {
  int64_t devices;
  std::string folder;
};

struct ScaledRuns {
  std::string stamp;  // shared by all
  std::vector<ScaledRun> runs;
};

// Whether this process was called with a program after "--".
bool GivesProgram();

// "1,2,8". A usage error for anything else.
Result<std::vector<int64_t>> ParseDevices(const std::string& text);

// Runs the program under `gait run`, once for each number of devices N: with the first N GPUs (of the GPUs in
// CUDA_VISIBLE_DEVICES, if it is set), or with N devices made from the CPU where there is no GPU. "{devices}"
// in a word of the command becomes N. All runs share one time stamp, and their folders are new, so that
// nobody takes an older result for theirs. The program's output goes to standard error. Returns the captures
// in order; an error when a run fails or leaves no capture.
Result<ScaledRuns> RunOnDevices(const ScaleRequest& request);

}  // namespace gait::cli
