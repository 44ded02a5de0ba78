// What reading a capture back says about it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gait/trace/loss.h"
#include "gait/trace/trace.h"

namespace gait::capture {

struct ReadBack {
  uint64_t events = 0;
  std::vector<std::pair<std::string, uint64_t>> devices;  // with the number of their events
  std::vector<Loss> losses;
  std::vector<std::string> reported;  // errors and warnings of the profiler itself

  bool IsIdle() const;  // no device did anything
};

// `if_idle` is the loss of a capture without events of a device; empty: it is none. `without_end` are
// launches, by program, that were at work when the capture ended; the capture may tell of more.
ReadBack LookAt(const Trace& trace, const std::string& path, const std::string& if_idle,
                std::map<std::string, uint64_t> without_end);

}  // namespace gait::capture
