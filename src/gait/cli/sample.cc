#include "gait/cli/sample.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gait/load/load.h"
#include "gait/report/numbers.h"
#include "gait/runs/find.h"
#include "gait/runs/names.h"

namespace gait::cli {
namespace {

constexpr size_t kMost = 32;  // captures that are read for a sample, the newest

struct Block {
  std::string name;
  int64_t devices = 0;
  bool compiles = false;

  bool IsLike(const Block& other) const { return name == other.name && devices == other.devices; }
};

// The one block that a capture holds, on each host that has any.
std::optional<Block> BlockOf(const analyze::RunView& view) {
  std::optional<Block> block;
  for (const analyze::HostView& host : view.hosts) {
    if (host.series.empty()) continue;
    const analyze::StepSeries& series = host.series[0];
    if (!series.blocks() || series.steps.size() != 1) return std::nullopt;
    if (block && block->name != series.name) return std::nullopt;
    const bool compiles = series.steps[0].compiles || (block && block->compiles);
    block = Block{series.name, view.working_devices(), compiles};
  }
  return block;
}

struct Sibling {
  std::shared_ptr<const analyze::LoadedRun> run;  // null: the run itself
  bool compiles = false;
};

// The captures of the block, the oldest first.
Result<std::vector<Sibling>> FindSiblings(const analyze::RunView& own, const Block& block,
                                          const CommonOptions& common) {
  GAIT_TRY(runs::Listing listing, runs::FindRuns(FolderOfRuns(*own.run)));
  if (listing.runs.size() > kMost) listing.runs.resize(kMost);
  std::ranges::reverse(listing.runs);
  std::vector<Sibling> siblings;
  for (runs::Run& run : listing.runs) {
    if (run.path == own.run->run.path || runs::BaseName(run.path) == runs::BaseName(own.run->run.path)) {
      siblings.push_back({nullptr, block.compiles});
      continue;
    }
    auto loaded = load::LoadRun(std::move(run), {.threads = common.threads});
    if (!loaded) continue;  // a damaged one is no sample
    auto kept = std::make_shared<const analyze::LoadedRun>(std::move(*loaded));
    const auto view = analyze::RunView::Make(*kept, own.selection);
    const std::optional<Block> found = view ? BlockOf(*view) : std::nullopt;
    if (found && found->IsLike(block)) siblings.push_back({std::move(kept), found->compiles});
  }
  return siblings;
}

}  // namespace

std::string FolderOfRuns(const analyze::LoadedRun& run) {
  const std::string_view folder = runs::DirectoryOf(run.run.path);
  if (runs::BaseName(folder) != "profile" || runs::BaseName(runs::DirectoryOf(folder)) != "plugins")
    return {};
  return std::string(folder);
}

bool ShareFolder(const std::vector<const analyze::LoadedRun*>& runs) {
  std::set<std::string> folders;
  return std::ranges::any_of(runs, [&](const analyze::LoadedRun* run) {
    const std::string folder = FolderOfRuns(*run);
    return !folder.empty() && !folders.insert(folder).second;
  });
}

Result<std::string> ForEachOfSample(const analyze::RunView& own, const CommonOptions& common,
                                    const std::function<Result<void>(const analyze::RunView&)>& add) {
  const std::optional<Block> block = BlockOf(own);
  if (!block || FolderOfRuns(*own.run).empty()) return std::string();
  GAIT_TRY(std::vector<Sibling> siblings, FindSiblings(own, *block, common));
  const size_t all = siblings.size();
  if (all < 2) return std::string();
  siblings.erase(siblings.begin());
  if (!std::ranges::all_of(siblings, &Sibling::compiles)) std::erase_if(siblings, &Sibling::compiles);
  for (const Sibling& sibling : siblings) {
    if (sibling.run == nullptr) {
      GAIT_CHECK_OK(add(own));
      continue;
    }
    GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(*sibling.run, own.selection));
    GAIT_CHECK_OK(add(view));
  }
  return fmt::format("{}: {} of '{}' lie beside each other; {} without the first are its steps",
                     own.run->typed, report::Plural(all, "capture"), block->name, siblings.size());
}

std::string SampleNote(const analyze::RunView& own) {
  const std::string folder = FolderOfRuns(*own.run);
  if (folder.empty() || !BlockOf(own)) return {};
  const auto listing = runs::FindRuns(folder);
  if (!listing || listing->runs.size() < 2) return {};
  return fmt::format("{} beside this one: gait diff and gait scale take those of '{}' as its further steps",
                     report::Plural(listing->runs.size() - 1, "capture"),
                     own.hosts[0].series.empty() ? std::string("the block") : own.hosts[0].series[0].name);
}

}  // namespace gait::cli
