// The command line as a function: parses, runs the verb, renders, reports errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"
#include "gait/cli/verb.h"

namespace gait::cli {

// Returns the exit code (exit_code.h). Errors go to standard error as one line of what and one of what to do.
int RunCommandLine(int argc, char** argv);

// What a verb answers, for programs: the arguments are those of its command line, RUN included. `common` is
// what holds where they say nothing else.
Result<Outcome> RunVerb(std::string_view verb, std::vector<std::string> arguments, CommonOptions common);

// The names of all verbs, in the order of the list.
std::vector<std::string_view> VerbNames();

}  // namespace gait::cli
