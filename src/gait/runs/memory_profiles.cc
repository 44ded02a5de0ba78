#include "gait/runs/memory_profiles.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/runs/find.h"

namespace gait::runs {
namespace {

namespace fs = std::filesystem;

bool IsProfile(const std::string& path) {
  return path.ends_with(".prof") || path.ends_with(".prof.gz") || path.ends_with(".pprof");
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

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

Result<std::vector<std::string>> FindMemoryProfiles(const std::string& spec,
                                                    const std::vector<std::string>& more) {
  std::vector<std::string> paths;
  if (!more.empty() || IsProfile(spec)) {
    paths.push_back(spec);
    paths.insert(paths.end(), more.begin(), more.end());
    for (const std::string& path : paths) {
      if (more.empty() || IsProfile(path)) continue;
      return UsageError(fmt::format("{}: only device memory profiles (*.prof) can be compared.", path),
                        "Give one run, or any number of .prof files.");
    }
    return paths;
  }
  std::error_code error;
  if (!fs::is_directory(spec, error)) return paths;
  size_t seen = 0;
  for (fs::directory_iterator entry(spec, error), end; !error && entry != end; entry.increment(error)) {
    if (++seen > limits::kMaxDirectoryEntries) break;
    if (IsProfile(entry->path().string()) && entry->is_regular_file(error))
      paths.push_back(entry->path().string());
  }
  if (paths.empty()) return paths;
  if (const auto listing = FindRuns(spec); listing && !listing->runs.empty())
    return std::vector<std::string>();
  std::ranges::sort(paths, NaturallyBefore);
  return paths;
}

}  // namespace gait::runs
