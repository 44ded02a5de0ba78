#include "gait/runs/left_over.h"

#include <signal.h>

#include <cerrno>
#include <chrono>

#include "gait/base/parse_number.h"

namespace gait::runs {
namespace {

constexpr std::string_view kEnd = ".partial";
constexpr int64_t kQuiet = 10;                // seconds: a process of another container may have the number
constexpr int64_t kAbandoned = 24 * 60 * 60;  // seconds

bool IsAlive(int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

}  // namespace

bool IsPartialName(std::string_view name) {
  return name.starts_with('.') && name.ends_with(kEnd) && name.size() > kEnd.size() + 1;
}

std::optional<int64_t> WriterOf(std::string_view name) {
  name.remove_suffix(kEnd.size());
  // The last part that is a number, of the last two: a random part may follow it.
  for (int part = 0; part < 2; ++part) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    const auto number = ParseNumber<int32_t>(name.substr(dot + 1));
    if (number && *number > 0) return *number;
    name = name.substr(0, dot);
  }
  return std::nullopt;
}

bool IsLeftOver(std::string_view name, int64_t modified_s) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t quiet = std::chrono::duration_cast<std::chrono::seconds>(now).count() - modified_s;
  if (quiet >= kAbandoned) return true;
  const std::optional<int64_t> writer = WriterOf(name);
  return writer && quiet >= kQuiet && !IsAlive(*writer);
}

}  // namespace gait::runs
