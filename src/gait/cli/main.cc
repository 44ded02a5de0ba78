#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "gait/cli/app.h"
#include "gait/cli/exit_code.h"

int main(int argc, char** argv) {
  // A reader that goes away (| head) is noticed by the failing write and ends the output quietly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return gait::cli::RunCommandLine(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("gait: out of memory.\n      Read the hosts of the run one by one, or use a larger machine.\n",
               stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "gait: a mistake inside gait: %s\n      Please report it with the file that caused it.\n",
                 error.what());
  }
  return static_cast<int>(gait::cli::ExitCode::kUnreadable);
}
