// Task and Report: the messages between `gait capture` and the program that speaks gRPC (capture/grpc). `gait
// capture` gives a task as words of the command line; the other program reports in lines on standard output:
//
//   connected 0        the profiler server of target 0 answers
//   recording          all of them were asked to record
//   received 0 12345   the capture of target 0 came, so many bytes
//   written 0 12345    and is in its file
//   failed 0 busy ...  target 0 has no capture: a Trouble, and what the system or the server said
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"
#include "gait/capture/remote/address.h"
#include "gait/capture/remote/tracer_options.h"
#include "gait/capture/remote/trouble.h"

namespace gait::capture::remote {

struct Target {
  Address address;
  std::string path;  // of the file to write

  friend bool operator==(const Target&, const Target&) = default;
};

struct Task {
  std::string session;
  int64_t duration_ms = 0;
  int64_t steps = 0;       // as many whole ones, of programs that can count them; 0: for the duration
  int64_t timeout_ms = 0;  // for everything else: looking up names, connecting, the reply
  TracerOptions tracers;
  std::vector<Target> targets;

  friend bool operator==(const Task&, const Task&) = default;
};

std::vector<std::string> WordsOfTask(const Task& task);
Result<Task> TaskOfWords(std::span<const std::string> words);

enum class Event : uint8_t { kConnected, kRecording, kReceived, kWritten, kFailed };

struct Report {
  Event event = Event::kConnected;
  size_t target = 0;                    // not of kRecording
  uint64_t bytes = 0;                   // of kReceived and kWritten
  Trouble trouble = Trouble::kGivenUp;  // of kFailed
  std::string detail{};                 // of kFailed

  friend bool operator==(const Report&, const Report&) = default;
};

std::string LineOfReport(const Report& report);             // without its end
std::optional<Report> ReportOfLine(std::string_view line);  // nullopt for any other line

}  // namespace gait::capture::remote
