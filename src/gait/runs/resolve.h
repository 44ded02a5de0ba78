// ResolveRun: the one run that a person means with RUN. ListRuns: all runs that RUN can mean.
#pragma once

#include <string>
#include <vector>

#include "gait/base/result.h"
#include "gait/runs/find.h"
#include "gait/runs/run.h"

namespace gait::runs {

struct ResolvedRun {
  Run run;
  std::string note;  // "newest of 3 runs": which one was taken when the words could mean several; else empty
  std::vector<std::string> search_notes{};  // what the search could not see (find.h)
};

// Accepts, in this order: "-" (standard input); a file; a run folder or a log directory (the newest run;
// files directly in the folder are a run too); DIR@2 (the second newest run); a pattern such as runs/*/gpt;
// the name of a run below the current directory or $GAIT_LOGDIR. "~" is expanded. Errors say what was looked
// for and how much was seen.
Result<ResolvedRun> ResolveRun(const std::string& spec);

// The runs that the same words can mean, newest first: those of a directory, of a pattern, of a name; one for
// a file and for DIR@2. Has a run, or something that is left over.
Result<Listing> ListRuns(const std::string& spec);

// The error for a directory without runs: what was looked for and how much was seen.
Error NoRuns(const Listing& listing);

}  // namespace gait::runs
