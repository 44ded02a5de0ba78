// Questions to gait.serve(port), gait's own endpoint in a program, and its answers: JSON over HTTP
// (python/gait/_serve.py).
#pragma once

#include <string>
#include <string_view>

#include "gait/base/result.h"
#include "gait/capture/remote/task.h"

namespace gait::capture::remote {

inline constexpr const char* kStatusPath = "/gait/status";
inline constexpr const char* kCapturePath = "/gait/capture";
inline constexpr const char* kStopPath = "/gait/stop";

struct EndpointStatus {
  bool marks_steps = false;  // so that a number of steps can be asked for
};

// An error when the answer is not gait's.
Result<EndpointStatus> StatusOfReply(std::string_view json);

// A request for the steps of the task with `by_steps`, else for its duration. Asks for one step more than
// wanted: nobody knows when the first step of a capture began.
std::string CaptureRequest(const Task& task, bool by_steps);

// The path to get the capture from. The error is the program's own.
Result<std::string> FileOfReply(std::string_view json);

}  // namespace gait::capture::remote
