#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// Seven steps, each with a kernel of 990 us that is launched `wait(i)` us after the step begins. Work from
// before the loop tells where the first step begins, unless it is `unknown`.
GpuRun Waiting(const std::function<double(int64_t)>& wait, bool unknown = false, double first_longer = 0) {
  GpuRun run;
  if (!unknown) run.Host("python", 0, 5, "cuLaunchKernel", 99).Work(0, 7, 6, 90, "kernel", 99);
  double t = 100;
  for (int64_t i = 0; i < 7; ++i) {
    run.Step(i, t, 900);
    run.Host("python", t + wait(i), 5, "cuLaunchKernel", 100 + i);
    const double longer = i == 0 ? first_longer : 0;
    run.Work(0, 7, t + wait(i) + 6, 990 + longer, "kernel", 100 + i);
    t += 1000 + wait(i) + longer;
  }
  return run;
}

TEST(FirstStepRule, SpeaksOfASlowFirstStepOnly) {
  const auto first = [](double wait) { return [wait](int64_t i) { return i == 0 ? wait : 10; }; };
  GpuRun slow = Waiting(first(900));
  const auto found = FindingsOf(slow.View(), "first_step");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("Step 0 took"), std::string::npos) << found[0].cause;
  EXPECT_NE(found[0].cause.find("the median of the others"), std::string::npos);
  EXPECT_NEAR(CostMs(found[0]), 0.89 / 7, 0.002);
  GpuRun even = Waiting(first(20));
  EXPECT_TRUE(FindingsOf(even.View(), "first_step").empty());
  // Where others are nearly as slow, the first is none of its kind.
  for (const double other : {1200.0, 800.0, 600.0}) {
    GpuRun uneven = Waiting([&](int64_t i) { return i == 0 ? 900 : i == 3 ? other : 10; });
    EXPECT_TRUE(FindingsOf(uneven.View(), "first_step").empty()) << other;
  }
}

TEST(FirstStepRule, ClaimsNoIdleTimeThatEveryStepHas) {
  GpuRun slow = Waiting([](int64_t i) { return i == 0 ? 1500.0 : 600.0; });
  const auto found = FindingsOf(slow.View(), "first_step");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.9 / 7, 0.002);  // of 1.5 ms of idle time
  // A step that is longer because it computes more idles as long as the others.
  GpuRun computes = Waiting([](int64_t) { return 600.0; }, false, 2000);
  EXPECT_TRUE(FindingsOf(computes.View(), "first_step").empty());
}

TEST(FirstStepRule, IsSilentOfAStepThatIsNotTheFirst) {
  const auto second = [](int64_t i) { return i == 1 ? 900.0 : 10.0; };
  for (const bool unknown : {true, false}) {  // where step 0 begins
    GpuRun run = Waiting(second, unknown);
    EXPECT_TRUE(FindingsOf(run.View(), "first_step").empty()) << unknown;
  }
  GpuRun run = Waiting(second);
  EXPECT_TRUE(FindingsOf(run.View({.first_step = 1}), "first_step").empty());
}

}  // namespace
}  // namespace gait::analyze
