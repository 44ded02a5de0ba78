#include "gait/analyze/view/block_sample.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {
namespace {

struct Captured {
  std::string block = "rep";
  bool compiles = false;
  int gpus = 1;
  int entries = 1;
};

LoadedRun RunOf(const Captured& capture, const std::string& name) {
  GpuRun run;
  for (int i = 0; i < capture.entries; ++i) {
    const double t = 10'000 * i;
    run.Host("python", t, 5'000, capture.block).With("gait_block", i);
    if (capture.compiles) run.Host("python", t + 10, 1'000, "backend_compile_and_load");
    for (int gpu = 0; gpu < capture.gpus; ++gpu) {
      const int64_t call = 10 * i + gpu;
      run.Host("python", t + 2'000 + 10 * gpu, 5, "launch", call).Work(gpu, 14, t + 2'100, 100, "gemm", call);
    }
  }
  LoadedRun loaded;
  loaded.typed = loaded.run.path = "runs/plugins/profile/" + name;
  loaded.hosts.push_back({"host0", "", run.Build()});
  return loaded;
}

// The last of the captures, and those beside it.
struct Folder {
  explicit Folder(const std::vector<Captured>& captures) {
    for (const Captured& capture : captures) others.push_back(RunOf(capture, std::to_string(others.size())));
    own = std::move(others.back());
    others.pop_back();
    own.beside = [this](const auto& visit) -> Result<void> {
      for (const LoadedRun& other : others) GAIT_CHECK_OK(visit(&other));
      return visit(nullptr);
    };
  }

  // The names of all captures of the sample, those that do not count in brackets.
  std::string Sample(const Selection& selection = {}) {
    const RunView view = *RunView::Make(own, selection);
    std::vector<std::string> added;
    const BlockSample sample = *FindBlockSample(view, [&](const RunView& one) -> Result<void> {
      added.push_back(one.run->run.path);
      return {};
    });
    std::string text;
    for (size_t i = 0; i < sample.captures.size(); ++i) {
      const SampledCapture& capture = sample.captures[i];
      EXPECT_TRUE(added[i].ends_with("/" + capture.name));
      text += capture.counts ? capture.name : "(" + capture.name + ")";
    }
    if (!sample.empty()) {
      EXPECT_EQ(sample.Counted(added).size(), sample.counted());
    }
    return text;
  }

  std::vector<LoadedRun> others;
  LoadedRun own;
};

std::string SampleOf(const std::vector<Captured>& captures, const Selection& selection = {}) {
  Folder folder(captures);
  return folder.Sample(selection);
}

TEST(BlockSample, HoldsAllCapturesOfTheBlockButTheFirst) {
  EXPECT_EQ(SampleOf({{}, {}, {}}), "(0)12");
  EXPECT_EQ(SampleOf({{}, {.block = "other"}, {}, {.gpus = 2}, {.entries = 2}, {}}), "(0)25");
}

TEST(BlockSample, LeavesOutWhatCompilesWhereOthersDoNot) {
  EXPECT_EQ(SampleOf({{.compiles = true}, {}, {.compiles = true}, {}}), "(0)1(2)3");
  EXPECT_EQ(SampleOf({{.compiles = true}, {.compiles = true}, {.compiles = true}}), "(0)12");
}

TEST(BlockSample, IsEmptyWithoutOthers) {
  EXPECT_EQ(SampleOf({{}}), "");
  EXPECT_EQ(SampleOf({{.block = "other"}, {}}), "");
  EXPECT_EQ(SampleOf({{}, {.entries = 2}}), "");  // a series already
  EXPECT_EQ(SampleOf({{}, {}}, {.first_step = 0, .last_step = 0}), "");
  Folder bare(std::vector<Captured>(2));
  bare.own.beside = {};
  EXPECT_EQ(bare.Sample(), "");
}

TEST(BlockSample, IsNobodysWhereTwoRunsShareAFolder) {
  Folder folder(std::vector<Captured>(3));
  const RunView own = *RunView::Make(folder.own, {});
  const RunView other = *RunView::Make(folder.others[0], {});
  const auto of = [](const RunView& view) -> Result<std::vector<int64_t>> {
    return std::vector{view.hosts[0].work[0].size() > 0 ? view.hosts[0].series[0].steps[0].number : -1};
  };
  const auto pooled = [](std::vector<int64_t> own_value, const std::vector<std::vector<int64_t>>& sample) {
    own_value.push_back(static_cast<int64_t>(sample.size()));
    return own_value;
  };
  std::vector<std::string> notes;
  EXPECT_EQ(OfSamples<std::vector<int64_t>>({&own}, of, pooled, notes)->front(),
            (std::vector<int64_t>{0, 2}));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(
      notes[0],
      "runs/plugins/profile/2: 3 captures of 'rep' lie beside each other; 2 without the first are its steps");
  EXPECT_EQ(OfSamples<std::vector<int64_t>>({&own, &other}, of, pooled, notes)->front(),
            std::vector<int64_t>{0});
  EXPECT_EQ(notes.size(), 1U);
}

}  // namespace
}  // namespace gait::analyze
