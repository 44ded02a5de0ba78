// Helper: starts the program that speaks gRPC (capture/grpc), and reads its reports. gRPC is in a program of
// its own because it needs some fifty shared libraries that no other command needs.
#pragma once

#include <functional>
#include <string>

#include "gait/base/result.h"
#include "gait/capture/remote/task.h"

namespace gait::capture::remote {

// Beside the running executable, or in ../libexec/gait of it; in the same places of the folder that was named
// instead, where the executable is another's, as Python's. An error that says what to install when it is not
// there.
Result<std::string> FindHelper();
void LookForHelperIn(const std::string& folder);

struct HelperWatch {
  std::function<void(const Report&)> report;   // of each line
  std::function<void()> tick;                  // about ten times a second
  std::function<void(int times)> interrupted;  // Ctrl-C, SIGTERM or a closed terminal
};

// Runs the helper to its end and hands on its reports. The helper gets interrupts: the first interrupt ends
// the recording, and the capture so far still comes; the second one gives up. An error when the helper cannot
// be started or dies.
Result<void> RunHelper(const std::string& program, const Task& task, const HelperWatch& watch);

}  // namespace gait::capture::remote
