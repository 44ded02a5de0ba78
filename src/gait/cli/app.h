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

// The answer of a verb, for programs. `arguments` are the words of the verb's command line, with RUN.
// `common` holds the defaults of the common options.
Result<Outcome> RunVerb(std::string_view verb, std::vector<std::string> arguments, CommonOptions common);

// The names of all verbs, in the order of the list.
std::vector<std::string_view> VerbNames();

}  // namespace gait::cli
