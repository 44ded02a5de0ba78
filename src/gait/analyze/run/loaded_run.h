// LoadedRun: a run whose hosts are in memory. Every report is made from one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gait/base/result.h"
#include "gait/runs/manifest.h"
#include "gait/runs/run.h"
#include "gait/trace/loss.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct LoadedHost {
  std::string name;
  std::string path;
  Trace trace;
};

struct LoadedRun;

// Calls `visit` with the captures of the run's folder, the oldest first: with null for the run itself, with
// each other one for as long as the call takes. Only the newest where there are many, and none that is
// damaged. Reads them all: costs time, and memory for one at a time.
using CapturesBeside =
    std::function<Result<void>(const std::function<Result<void>(const LoadedRun*)>& visit)>;

struct LoadedRun {
  std::string typed;  // what the person called it; good for further commands
  runs::Run run;
  std::string note;                         // "newest of 3 runs", when there was a choice
  std::vector<LoadedHost> hosts;            // at least one
  std::vector<Loss> losses;                 // hosts that could not be read, launches without an end
  runs::Manifest manifest{};                // what gait's own capture wrote beside it
  std::vector<std::string> search_notes{};  // what the search for the run could not see
  CapturesBeside beside{};                  // empty where the run lies in no folder of captures
};

}  // namespace gait::analyze
