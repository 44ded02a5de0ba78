#include "gait/capture/remote/task.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace gait::capture::remote {
namespace {

struct EventName {
  Event event;
  std::string_view name;
};
constexpr auto kEvents = std::to_array<EventName>({{Event::kConnected, "connected"},
                                                   {Event::kRecording, "recording"},
                                                   {Event::kReceived, "received"},
                                                   {Event::kWritten, "written"},
                                                   {Event::kFailed, "failed"}});

template <typename T>
bool ParseNumber(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// The next word of a line; what follows it stays.
std::string_view TakeWord(std::string_view& line) {
  const size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
  return word;
}

}  // namespace

std::vector<std::string> WordsOfTask(const Task& task) {
  std::vector<std::string> words = {"session=" + task.session,
                                    fmt::format("duration_ms={}", task.duration_ms),
                                    fmt::format("steps={}", task.steps),
                                    fmt::format("timeout_ms={}", task.timeout_ms),
                                    fmt::format("host={}", task.tracers.host),
                                    fmt::format("device={}", task.tracers.device),
                                    fmt::format("python={}", task.tracers.python ? 1 : 0)};
  for (const AdvancedOption& option : task.tracers.advanced) words.push_back("option=" + option.Text());
  for (const Target& target : task.targets) {
    words.push_back("address=" + target.address.Text());
    words.push_back("path=" + target.path);
  }
  return words;
}

Result<Task> TaskOfWords(std::span<const std::string> words) {
  Task task;
  for (const std::string_view word : words) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    int python = 0;
    bool good = true;
    if (key == "session") {
      task.session = value;
    } else if (key == "duration_ms") {
      good = ParseNumber(value, task.duration_ms);
    } else if (key == "steps") {
      good = ParseNumber(value, task.steps);
    } else if (key == "timeout_ms") {
      good = ParseNumber(value, task.timeout_ms);
    } else if (key == "host") {
      good = ParseNumber(value, task.tracers.host);
    } else if (key == "device") {
      good = ParseNumber(value, task.tracers.device);
    } else if (key == "python") {
      good = ParseNumber(value, python);
      task.tracers.python = python != 0;
    } else if (key == "option") {
      GAIT_TRY(AdvancedOption option, ParseAdvancedOption(value));
      task.tracers.advanced.push_back(std::move(option));
    } else if (key == "address") {
      GAIT_TRY(Address address, ParseAddress(value));
      task.targets.push_back({std::move(address), {}});
    } else if (key == "path" && !task.targets.empty()) {
      task.targets.back().path = value;
    } else {
      good = false;
    }
    if (!good) return UsageError(fmt::format("'{}' is no part of a task.", word));
  }
  const bool whole = !task.session.empty() && task.duration_ms > 0 && !task.targets.empty() &&
                     std::ranges::none_of(task.targets, [](const Target& t) { return t.path.empty(); });
  if (!whole) return UsageError("the task is incomplete.", "gait capture starts this program.");
  return task;
}

std::string LineOfReport(const Report& report) {
  std::string line(std::ranges::find(kEvents, report.event, &EventName::event)->name);
  if (report.event == Event::kRecording) return line;
  line += fmt::format(" {}", report.target);
  if (report.event == Event::kReceived || report.event == Event::kWritten) {
    line += fmt::format(" {}", report.bytes);
  } else if (report.event == Event::kFailed) {
    line += fmt::format(" {} {}", Name(report.trouble), report.detail);
    std::ranges::replace(line, '\n', ' ');
  }
  return line;
}

std::optional<Report> ReportOfLine(std::string_view line) {
  Report report;
  const auto* const event = std::ranges::find(kEvents, TakeWord(line), &EventName::name);
  if (event == kEvents.end()) return std::nullopt;
  report.event = event->event;
  if (report.event == Event::kRecording) return report;
  if (!ParseNumber(TakeWord(line), report.target)) return std::nullopt;
  if (report.event == Event::kReceived || report.event == Event::kWritten) {
    if (!ParseNumber(TakeWord(line), report.bytes)) return std::nullopt;
  } else if (report.event == Event::kFailed) {
    const std::optional<Trouble> trouble = TroubleOfName(TakeWord(line));
    if (!trouble) return std::nullopt;
    report.trouble = *trouble;
    report.detail = line;
  }
  return report;
}

}  // namespace gait::capture::remote
