// TakeCapture: one recording of one or more programs, with a progress bar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/base/result.h"
#include "gait/capture/remote/task.h"

namespace gait::cli {

struct TakenHost {
  uint64_t bytes = 0;          // of the file; 0: there is none
  std::optional<Error> error;  // why
};

struct Taken {
  std::vector<TakenHost> hosts;  // by target
  int64_t begin_ns = 0;          // Unix time at which they were asked to record; 0: they were not
  int64_t end_ns = 0;
  bool interrupted = false;  // the recording was ended early, by a person

  size_t captured() const;  // hosts with a file
};

// An error when no host has a capture, or when gait-capture fails as a whole. Ctrl-C ends the recording
// early.
Result<Taken> TakeCapture(const std::string& helper, const capture::remote::Task& task, bool quiet);

}  // namespace gait::cli
