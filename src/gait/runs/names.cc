#include "gait/runs/names.h"

#include <pwd.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>

namespace gait::runs {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::optional<BesideKind> BesideOfFileName(std::string_view name) {
  if (name.ends_with(".xplane.pb.xz") || name.ends_with(".xplane.riegeli")) return BesideKind::kUnsupported;
  if (name == "perfetto_trace.json.gz") return BesideKind::kPerfettoJson;
  if (name.ends_with(".trace.json.gz") || name.ends_with(".trace.json")) return BesideKind::kTraceJson;
  if (name.ends_with(".prof")) return BesideKind::kMemoryProfile;
  // NO_MODULE is what XProf writes when a capture has no program.
  if (name.ends_with(".hlo_proto.pb") && name != "NO_MODULE.hlo_proto.pb") return BesideKind::kHloProto;
  return std::nullopt;
}

std::optional<int64_t> TimeOfRunName(std::string_view name) {
  constexpr std::string_view kPattern = "dddd_dd_dd_dd_dd_dd";
  if (name.size() != kPattern.size()) return std::nullopt;
  std::array<int, 6> fields{};
  size_t field = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (digit != (kPattern[i] == 'd') || (!digit && name[i] != '_')) return std::nullopt;
    if (digit) {
      fields[field] = fields[field] * 10 + (name[i] - '0');
    } else {
      ++field;
    }
  }
  const auto [year, month, day, hour, minute, second] = fields;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  std::tm local{};
  local.tm_year = year - 1900;
  local.tm_mon = month - 1;
  local.tm_mday = day;
  local.tm_hour = hour;
  local.tm_min = minute;
  local.tm_sec = second;
  local.tm_isdst = -1;
  return std::mktime(&local);
}

bool NaturallyBefore(const std::string& a, const std::string& b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    while (i + 1 < a.size() && a[i] == '0' && IsDigit(a[i + 1])) ++i;
    while (j + 1 < b.size() && b[j] == '0' && IsDigit(b[j + 1])) ++j;
    size_t digits_a = 0;
    size_t digits_b = 0;
    while (i + digits_a < a.size() && IsDigit(a[i + digits_a])) ++digits_a;
    while (j + digits_b < b.size() && IsDigit(b[j + digits_b])) ++digits_b;
    if (digits_a != digits_b) return digits_a < digits_b;
    if (const int order = a.compare(i, digits_a, b, j, digits_b); order != 0) return order < 0;
    i += digits_a;
    j += digits_b;
  }
  return a.size() - i < b.size() - j;
}

std::string ExpandHome(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const size_t end = std::min(path.find('/'), path.size());
  const std::string user = path.substr(1, end - 1);
  std::string home;
  if (user.empty()) {
    if (const char* variable = std::getenv("HOME")) home = variable;
  } else if (const passwd* entry = ::getpwnam(user.c_str())) {
    home = entry->pw_dir;
  }
  return home.empty() ? path : home + path.substr(end);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string_view BaseName(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

std::string_view DirectoryOf(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string LabelOf(std::string_view root, std::string_view folder) {
  std::string label(folder.substr(std::min(folder.size(), root.size())));
  while (label.starts_with('/')) label.erase(0, 1);
  constexpr std::string_view kMiddle = "plugins/profile/";
  const size_t at = label.rfind(kMiddle);
  if (at != std::string::npos && (at == 0 || label[at - 1] == '/')) label.erase(at, kMiddle.size());
  return label.empty() ? std::string(BaseName(folder)) : label;
}

std::string_view FolderOfCaptures(std::string_view run_path) {
  const std::string_view folder = DirectoryOf(run_path);
  const bool of_tensorboard = BaseName(folder) == "profile" && BaseName(DirectoryOf(folder)) == "plugins";
  return of_tensorboard ? folder : std::string_view();
}

}  // namespace gait::runs
