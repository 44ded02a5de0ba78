// The tables of `gait info`, one function each. A table speaks of all hosts of the run; its column "host"
// shows in text only when there are several.
#pragma once

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/steps/step_marks.h"
#include "gait/report/table.h"

namespace gait::analyze {

// How much of the files could not be read. A table words an absence by this.
struct Missing {
  bool end = false;       // a file ends early
  bool parts = false;     // something inside a file ended early
  bool programs = false;  // a program was there and could not be read

  bool any() const { return end || parts; }
};
Missing FindMissing(const LoadedRun& run);

report::Table HostsTable(const LoadedRun& run);
report::Table DevicesTable(const LoadedRun& run);
// `steps[i]` are the steps of host i.
report::Table StepsTable(const LoadedRun& run, const std::vector<std::vector<AnnotatedSteps>>& steps);
report::Table ProgramsTable(const LoadedRun& run);
report::Table TracksTable(const LoadedRun& run);
// How device work was attributed to HLO instructions, and why the rest was not. Hidden in text when all work
// was.
report::Table AttributionTable(const LoadedRun& run);
// Names of events that the vocabulary does not know.
report::Table UnknownEventsTable(const LoadedRun& run);
report::Table CaptureTable(const LoadedRun& run);

}  // namespace gait::analyze
