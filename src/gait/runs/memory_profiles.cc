#include "gait/runs/memory_profiles.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "gait/base/folder.h"
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
  for (const std::string& name : NamesIn(spec)) {
    const fs::path path = fs::path(spec) / name;
    if (IsProfile(path.string()) && fs::is_regular_file(path, error)) paths.push_back(path.string());
  }
  if (paths.empty()) return paths;
  if (const auto listing = FindRuns(spec); listing && !listing->runs.empty())
    return std::vector<std::string>();
  std::ranges::sort(paths, NaturallyBefore);
  return paths;
}

}  // namespace gait::runs
