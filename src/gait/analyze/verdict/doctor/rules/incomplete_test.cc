#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(IncompleteRule, SpeaksOfWhatIsMissingNotOfRepairs) {
  const auto lost = [](LossKind kind) {
    return MakeRun([&](Maker& maker) { maker.builder().Lose(kind, "byte 12", "ends early"); });
  };
  EXPECT_EQ(Found(lost(LossKind::kTruncated), "incomplete"), 1u);
  EXPECT_EQ(Found(lost(LossKind::kRepaired), "incomplete"), 0u);
  // A device may be in what is missing: nothing is said about drivers.
  const auto cut = MakeRun(
      [](Maker& maker) { maker.builder().Lose(LossKind::kTruncated, "byte 12", "ends early"); }, false);
  EXPECT_EQ(Found(cut, "no_device"), 0u);
  const auto high = FindingsOf(*RunView::Make(*cut, {}), "incomplete");
  ASSERT_EQ(high.size(), 1u);
  EXPECT_EQ(high[0].severity, Severity::kHigh);
  const auto dropped =
      MakeRun([](Maker& maker) { maker.builder().environment().warnings = {"17 events were dropped"}; });
  const auto found = FindingsOf(*RunView::Make(*dropped, {}), "incomplete");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].title.find("limit"), std::string::npos);
}

TEST(IncompleteRule, KnowsTheLimitThatWasGiven) {
  const auto limited = [](const char* limit) {
    return MakeRun(
        [&](Maker& maker) { maker.builder().environment().options["gpu_max_activity_api_events"] = limit; });
  };
  const auto run = limited("5");
  const auto found = FindingsOf(*RunView::Make(*run, {}), "incomplete");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].fix.find("gpu_max_activity_api_events"), std::string::npos);
  EXPECT_EQ(Found(limited("1000"), "incomplete"), 0u);
  EXPECT_EQ(Found(limited("-1"), "incomplete"), 0u);
}

}  // namespace
}  // namespace gait::analyze
