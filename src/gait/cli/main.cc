#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "gait/base/descriptor.h"
#include "gait/cli/app.h"
#include "gait/cli/exit_code.h"

namespace {

// Standard error that was closed when the process started is nobody's: without an owner of its number the
// next file or socket would take it, and the messages. Programs that are started from here find it closed
// again.
void KeepClosedStderr() {
  if (::fcntl(STDERR_FILENO, F_GETFD) >= 0 || errno != EBADF) return;
  const gait::Descriptor nowhere = gait::Descriptor::Open("/dev/null", O_WRONLY);
  if (nowhere.ok()) ::dup3(nowhere.get(), STDERR_FILENO, O_CLOEXEC);
}

}  // namespace

int main(int argc, char** argv) {
  KeepClosedStderr();
  // A reader that goes away (| head) is noticed by the failing write and ends the output quietly.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may grow no further (ulimit -f)
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
