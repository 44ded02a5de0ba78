#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(CompileRules, TellFirstCompilationsFromRepeatedOnes) {
  const auto loop = [](bool again) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, 900);
      if (again || i == 2) {
        run.Host("python", t + 1, 550, "PjitFunction(f)");
        run.Host("python", t + 2, 100, "lower_sharding_computation");
        run.Host("python", t + 110, 400, "backend_compile_and_load");
      }
      run.Host("python", t + 560, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, t + 570, 400, "kernel", 100 + i);
    }
    return run;
  };
  GpuRun repeated = loop(true);
  EXPECT_EQ(FindingsOf(repeated.View(), "recompile").size(), 1u);
  EXPECT_TRUE(FindingsOf(repeated.View(), "compile_in_window").empty());
  GpuRun once = loop(false);
  EXPECT_TRUE(FindingsOf(once.View(), "recompile").empty());
  const auto found = FindingsOf(once.View(), "compile_in_window");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_FALSE(found[0].evidence.empty());
  ASSERT_TRUE(found[0].evidence[0].time);  // where it can be looked at
  EXPECT_EQ(found[0].evidence[0].time->begin, Microseconds(2001));
  EXPECT_EQ(found[0].evidence[0].track.find("python"), 0u) << found[0].evidence[0].track;
  // The last one is of the runtime, but no program comes of it.
  for (const std::string doing : {"bookkeeping", "compile_report", "$re.py:10 compile", "jit::Autotune"}) {
    GpuRun never = TestLoop{.doing = doing}.Make();
    EXPECT_TRUE(FindingsOf(never.View(), "compile_in_window").empty()) << doing;
  }
}

TEST(CompileRules, NoteWhatWasCompiledInStepsThatAreLeftOut) {
  // A loop that does not wait: its first step compiles for `compiling` us and is not counted.
  const auto loop = [](double compiling, double at) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 3000 + 1000 * static_cast<double>(i);
      run.Step(i, t, 20);
      run.Host("python", t + 1, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, t + 10, 995, "kernel", 100 + i);
    }
    run.Host("python", at, compiling, "PjitFunction(f)");
    run.Host("python", at + 1, 1, "lower_sharding_computation");
    run.Host("python", at + 5, compiling - 10, "backend_compile_and_load");
    return run;
  };
  GpuRun early = loop(2000, 500);
  const auto found = FindingsOf(early.View(), "compile_in_window");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].cost.has_value());
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  EXPECT_NE(found[0].cause.find("1 program was compiled"), std::string::npos) << found[0].cause;
  // A short one is not worth it, and one after the steps says nothing of when the capture began.
  GpuRun brief = loop(500, 500);
  EXPECT_TRUE(FindingsOf(brief.View(), "compile_in_window").empty());
  GpuRun late = loop(2000, 9500);
  EXPECT_TRUE(FindingsOf(late.View(), "compile_in_window").empty());
}

}  // namespace
}  // namespace gait::analyze
