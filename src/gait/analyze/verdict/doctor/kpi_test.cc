#include "gait/analyze/verdict/doctor/kpi.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(Kpi, TimeOfCompilingIsTheMostOfAnyHostAndUnknownOfACutFile) {
  const auto compiling = [](int64_t us, bool cut = false) {
    return MakeRun([&](Maker& maker) {
      const auto thread = maker.Thread(maker.Host(), 9, "compiler");
      maker.Event(thread, 10 * kMicro, (10 + us) * kMicro, "backend_compile_and_load");
      if (cut) maker.builder().Lose(LossKind::kTruncated, "byte 12", "ends early");
    });
  };
  const auto seconds = [](const LoadedRun& run) {
    const Result<RunView> view = RunView::Make(run, {});
    const report::Document document = KpiDocument(*Examine(*view), nullptr);
    for (const report::Row& row : document.tables[0].rows) {
      if (row[0].text() == "compilation time") return row[1].number();
    }
    return std::optional<double>();
  };
  const auto both = compiling(3000);
  both->hosts.push_back(std::move(compiling(2000)->hosts[0]));
  both->hosts.back().name = "host1";
  EXPECT_NEAR(seconds(*both).value(), 0.003, 1e-9);
  EXPECT_FALSE(seconds(*compiling(3000, true)));
}

TEST(Kpi, LevelsFollowTheLimits) {
  EXPECT_EQ(LevelOf(81, 80, 50), Level::kGood);
  EXPECT_EQ(LevelOf(80, 80, 50), Level::kWarning);
  EXPECT_EQ(LevelOf(49, 80, 50), Level::kBad);
  EXPECT_EQ(LevelOf(9, 10, 20), Level::kGood);
  EXPECT_EQ(LevelOf(15, 10, 20), Level::kWarning);
  EXPECT_EQ(LevelOf(21, 10, 20), Level::kBad);
}

}  // namespace
}  // namespace gait::analyze
