#include "gait/report/output.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace gait::report {

void Output::Flush() {
  if (descriptor_ < 0) return;
  std::string_view rest = buffer_;
  while (error_ == 0 && !rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

Result<void> Output::Finish() {
  Flush();
  if (error_ == 0 || error_ == EPIPE) return {};
  return Unreadable("cannot write the output: " + std::generic_category().message(error_),
                    error_ == ENOSPC ? "The disk is full: what was written is incomplete." : "");
}

}  // namespace gait::report
