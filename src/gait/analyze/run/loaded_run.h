// LoadedRun: a run whose hosts are in memory. Every report is made from one.
#pragma once

#include <string>
#include <vector>

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

struct LoadedRun {
  std::string typed;  // what the person called it; good for further commands
  runs::Run run;
  std::string note;                         // "newest of 3 runs", when there was a choice
  std::vector<LoadedHost> hosts;            // at least one
  std::vector<Loss> losses;                 // hosts that could not be read, launches without an end
  runs::Manifest manifest{};                // what gait's own capture wrote beside it
  std::vector<std::string> search_notes{};  // what the search for the run could not see
};

}  // namespace gait::analyze
