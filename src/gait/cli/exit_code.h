// The exit codes of the command. Scripts depend on them.
#pragma once

#include "gait/base/result.h"

namespace gait::cli {

enum class ExitCode : int {
  kOk = 0,
  kFinding = 1,     // it worked, and a check failed or something was found
  kUsage = 2,       // the request makes no sense
  kUnreadable = 3,  // the input cannot be used, or the output not be written
};

constexpr ExitCode ExitCodeOf(const Error& error) {
  return error.kind == ErrorKind::kUsage ? ExitCode::kUsage : ExitCode::kUnreadable;
}

}  // namespace gait::cli
