#include "gait/analyze/view/block_sample.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "gait/report/numbers.h"
#include "gait/runs/names.h"

namespace gait::analyze {
namespace {

struct Block {
  std::string name;
  int64_t devices = 0;
  bool compiles = false;

  bool IsLike(const Block& other) const { return name == other.name && devices == other.devices; }
};

// The one block that a capture holds, on each host that has any.
std::optional<Block> BlockOf(const RunView& view) {
  std::optional<Block> block;
  for (const HostView& host : view.hosts) {
    if (host.series.empty()) continue;
    const StepSeries& series = host.series[0];
    if (!series.blocks() || series.steps.size() != 1) return std::nullopt;
    if (block && block->name != series.name) return std::nullopt;
    const bool compiles = series.steps[0].compiles || (block && block->compiles);
    block = Block{series.name, view.working_devices(), compiles};
  }
  return block;
}

}  // namespace

size_t BlockSample::counted() const {
  return static_cast<size_t>(std::ranges::count_if(captures, &SampledCapture::counts));
}

std::string BlockSample::Note(const LoadedRun& own) const {
  return fmt::format("{}: {} of '{}' lie beside each other; {} without the first are its steps", own.typed,
                     report::Plural(captures.size(), "capture"), block, counted());
}

Result<BlockSample> FindBlockSample(const RunView& own,
                                    const std::function<Result<void>(const RunView&)>& add) {
  const std::optional<Block> block = BlockOf(own);
  if (!block || !own.run->beside || own.selection.has_steps()) return BlockSample();
  BlockSample sample{block->name, {}};
  const auto take = [&](const RunView& view, bool compiles) -> Result<void> {
    GAIT_CHECK_OK(add(view));
    sample.captures.push_back({std::string(runs::BaseName(view.run->run.path)), compiles, true});
    return {};
  };
  GAIT_CHECK_OK(own.run->beside([&](const LoadedRun* run) -> Result<void> {
    if (run == nullptr) return take(own, block->compiles);
    const auto view = RunView::Make(*run, own.selection);
    const std::optional<Block> found = view ? BlockOf(*view) : std::nullopt;
    return found && found->IsLike(*block) ? take(*view, found->compiles) : Result<void>();
  }));
  if (sample.captures.size() < 2) return BlockSample();
  sample.captures[0].counts = false;
  const auto warm = [](const SampledCapture& capture) { return capture.counts && !capture.compiles; };
  if (std::ranges::any_of(sample.captures, warm)) {
    for (SampledCapture& capture : sample.captures) capture.counts = warm(capture);
  }
  return sample;
}

bool ShareFolder(const std::vector<const RunView*>& views) {
  std::set<std::string_view> folders;
  return std::ranges::any_of(views, [&](const RunView* view) {
    const std::string_view folder = runs::FolderOfCaptures(view->run->run.path);
    return !folder.empty() && !folders.insert(folder).second;
  });
}

}  // namespace gait::analyze
