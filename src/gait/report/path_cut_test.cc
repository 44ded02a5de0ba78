#include "gait/report/path_cut.h"

#include <gtest/gtest.h>

#include <vector>

#include "gait/report/unicode.h"

namespace gait::report {
namespace {

TEST(CutPaths, WhatDiffersStaysInEachComponent) {
  const std::vector<std::string> paths = {"profiles/train_step_step_0/2026_11_18_20_22_26",
                                          "profiles/train_step_step_2/2026_11_18_20_22_24"};
  auto cut = CutPaths(paths, 32);
  EXPECT_EQ(cut[paths[0]], "…/train_s…_step_0/2026_1…0_22_26");
  EXPECT_EQ(cut[paths[1]], "…/train_s…_step_2/2026_1…0_22_24");
  for (size_t width = 24; width < 46; ++width) {
    cut = CutPaths(paths, width);
    EXPECT_NE(cut[paths[0]].find("_0/"), std::string::npos) << cut[paths[0]];
    EXPECT_NE(cut[paths[1]].find("_2/"), std::string::npos) << cut[paths[1]];
    EXPECT_TRUE(cut[paths[0]].ends_with("26"));
    EXPECT_LE(DisplayWidth(cut[paths[0]]), width);
  }
  EXPECT_TRUE(CutPaths(paths, 46).empty());
}

TEST(CutPaths, OfOtherDepthsAndNames) {
  const std::vector<std::string> paths = {
      "a_rather_long_name_of_an_experiment/eval_step_17/2026_11_18_20_22_26",
      "a_rather_long_name_of_an_experiment/train_step_17/2026_11_18_20_22_26", "2026_11_18_20_22_27", "x"};
  auto cut = CutPaths(paths, 30);
  EXPECT_EQ(cut.size(), 2U);
  EXPECT_NE(cut[paths[0]], cut[paths[1]]);
  for (const auto& [path, shown] : cut) EXPECT_LE(DisplayWidth(shown), 30U) << shown;
}

TEST(CutPaths, AShorterPathIsCutNoMoreThanItMust) {
  const std::vector<std::string> paths = {
      "tensorboard_logs/1gpu_20261118_1843/tad_trace/2026_11_18_18_18_46",
      "tensorboard_logs/2gpu_20261118_1843/lcam_trace/2026_11_18_18_18_44",
      "pysc/1gpu_20261118/2026_11_18_18_18_40", "blk/inline/mine/2026_11_18_18_18_59"};
  auto cut = CutPaths(paths, 35);
  EXPECT_EQ(cut.size(), 3U);  // the last one fits
  EXPECT_EQ(cut[paths[2]], "pysc/1gpu_20261118/2026_11…18_18_40");
  for (const auto& [path, shown] : cut) EXPECT_LE(DisplayWidth(shown), 35U) << shown;
}

TEST(CutPaths, OneAloneIsCutInItsMiddle) {
  const std::string path = "profiles/whole_step_0/2026_11_19_18_10_26_2";
  const std::string shown = CutPaths(std::vector{path}, 36)[path];
  EXPECT_TRUE(shown.ends_with("26_2")) << shown;
  EXPECT_TRUE(shown.contains("step_0")) << shown;
}

}  // namespace
}  // namespace gait::report
