#include "gait/runs/left_over.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>

#include "gait/base/descriptor.h"
#include "gait/base/parse_number.h"
#include "gait/read/registry/registry.h"
#include "gait/runs/names.h"

namespace gait::runs {
namespace {

constexpr std::string_view kEnd = ".partial";
constexpr int64_t kQuiet = 10;                // seconds
constexpr int64_t kAbandoned = 24 * 60 * 60;  // seconds

// What stands between the dot in front and the end.
struct PartialName {
  std::string_view file;  // the final name
  std::optional<int64_t> writer;
  bool random = false;  // has the random part
};

std::optional<std::string_view> CutLast(std::string_view& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view last = name.substr(dot + 1);
  name = name.substr(0, dot);
  return last;
}

bool IsRandom(std::string_view part) {
  constexpr size_t kDigits = 16;
  return part.size() == kDigits && part.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<int64_t> ParseProcess(std::string_view part) {
  const auto number = ParseNumber<int32_t>(part);
  if (!number || *number <= 0) return std::nullopt;
  return *number;
}

bool IsOfCapture(std::string_view file) {
  return read::FileOfName(file) || BesideOfFileName(file) ||
         (file.starts_with("gait") && file.ends_with(".json"));
}

std::optional<PartialName> Parse(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnd) || name.size() <= kEnd.size() + 1) return std::nullopt;
  name = name.substr(1, name.size() - 1 - kEnd.size());
  PartialName partial{name, std::nullopt};
  std::string_view rest = name;
  std::optional<std::string_view> last = CutLast(rest);
  if (last && IsRandom(*last)) {
    partial.random = true;
    last = CutLast(rest);
  }
  if (last && (partial.writer = ParseProcess(*last))) partial.file = rest;
  if (partial.random && partial.writer) return partial;
  return IsOfCapture(partial.file) ? std::optional(partial) : std::nullopt;
}

// A writer of any container holds the lock of its file (FileWriter).
bool IsLocked(const std::string& path) {
  const Descriptor file = Descriptor::Open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file.ok() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool IsAlive(int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

}  // namespace

bool IsPartialName(std::string_view name) { return Parse(name).has_value(); }

std::optional<int64_t> WriterOf(std::string_view name) {
  const std::optional<PartialName> partial = Parse(name);
  return partial ? partial->writer : std::nullopt;
}

bool IsSessionFolder(std::string_view path) {
  std::string_view name = BaseName(path);
  const std::string_view profile = DirectoryOf(path);
  if (BaseName(profile) != "profile" || BaseName(DirectoryOf(profile)) != "plugins") return false;
  constexpr size_t kTime = std::string_view("2026_01_02_03_04_05").size();
  if (name.size() > kTime + 1 && name[kTime] == '_' && ParseNumber<int32_t>(name.substr(kTime + 1)))
    name = name.substr(0, kTime);
  return TimeOfRunName(name).has_value();
}

bool IsLeftOver(const std::string& path, int64_t modified_s) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t quiet = std::chrono::duration_cast<std::chrono::seconds>(now).count() - modified_s;
  if (quiet < kQuiet || IsLocked(path)) return false;
  const std::optional<int64_t> writer = WriterOf(BaseName(path));
  return quiet >= kAbandoned || (writer && !IsAlive(*writer));
}

}  // namespace gait::runs
