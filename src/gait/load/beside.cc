#include "gait/load/beside.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gait/load/load.h"
#include "gait/runs/find.h"
#include "gait/runs/names.h"

namespace gait::load {
namespace {

constexpr size_t kMost = 32;  // captures that are read, the newest

// The newest of the folder and the run itself, the oldest first.
std::vector<runs::Run> Choose(std::vector<runs::Run> newest_first, const std::string& run_path) {
  const auto is_own = [&](const runs::Run& run) {
    return runs::BaseName(run.path) == runs::BaseName(run_path);
  };
  std::vector<runs::Run> chosen;
  for (runs::Run& run : newest_first) {
    if (chosen.size() < kMost || is_own(run)) chosen.push_back(std::move(run));
  }
  std::ranges::reverse(chosen);
  return chosen;
}

}  // namespace

analyze::CapturesBeside CapturesBeside(const std::string& run_path, size_t threads) {
  if (runs::FolderOfCaptures(run_path).empty()) return {};
  return [run_path,
          threads](const std::function<Result<void>(const analyze::LoadedRun*)>& visit) -> Result<void> {
    GAIT_TRY(runs::Listing listing, runs::FindRuns(std::string(runs::FolderOfCaptures(run_path))));
    for (runs::Run& run : Choose(std::move(listing.runs), run_path)) {
      if (runs::BaseName(run.path) == runs::BaseName(run_path)) {
        GAIT_CHECK_OK(visit(nullptr));
      } else if (const auto loaded = LoadRun(std::move(run), {.threads = threads})) {
        GAIT_CHECK_OK(visit(&*loaded));
      }
    }
    return {};
  };
}

}  // namespace gait::load
