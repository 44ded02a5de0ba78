// The command line as a function: parses, runs the verb, renders, reports errors.
#pragma once

namespace gait::cli {

// Returns the exit code (exit_code.h). Errors go to standard error as one line of what and one of what to do.
int RunCommandLine(int argc, char** argv);

}  // namespace gait::cli
