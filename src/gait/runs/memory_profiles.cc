#include "gait/runs/memory_profiles.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/runs/find.h"
#include "gait/runs/names.h"

namespace gait::runs {
namespace {

namespace fs = std::filesystem;

bool IsProfile(const std::string& path) {
  return path.ends_with(".prof") || path.ends_with(".prof.gz") || path.ends_with(".pprof");
}

}  // namespace

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
