#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(CheckpointRule, SpeaksOfSavingAndEvaluation) {
  for (const char* doing : {"save_checkpoint", "evaluate"}) {
    GpuRun run = TestLoop{.doing = doing}.Make();
    EXPECT_EQ(FindingsOf(run.View(), "checkpoint").size(), 1u) << doing;
    EXPECT_TRUE(FindingsOf(run.View(), "between_steps").empty()) << doing;
  }
  // "safe" and "medieval" are other words, and metrics are no checkpoint.
  for (const char* doing : {"safe_step", "medieval", "save_metrics"}) {
    GpuRun run = TestLoop{.doing = doing}.Make();
    EXPECT_TRUE(FindingsOf(run.View(), "checkpoint").empty()) << doing;
  }
}

// What the host does runs in a function that says what it is for.
TEST(CheckpointRule, LooksAtTheFunctionsAround) {
  const auto loop = [](const std::string& around) {
    return TestLoop{.doing = around,
                    .more =
                        [](GpuRun& run, double t) {
                          run.Host("python", t + 2, 490, "$train.py:4 write_file");
                          run.Host("python", t + 3, 480, "$time sleep");
                        }}
        .Make();
  };
  const auto title = [&](const std::string& around) {
    GpuRun run = loop(around);
    const auto found = FindingsOf(run.View(), "checkpoint");
    return found.empty() ? std::string() : found[0].title;
  };
  for (const char* around :
       {"$train.py:9 save_checkpoint", "$train.py:9 save_state", "save", "$checkpoint_manager.py:9 save"}) {
    EXPECT_EQ(title(around), "Checkpoint inside the steps") << around;
  }
  for (const char* around : {"$train.py:9 evaluate", "$train.py:9 eval_step", "validation"}) {
    EXPECT_EQ(title(around), "Evaluation inside the steps") << around;
  }
  // The file of the loop, a loop, and names of JAX say nothing.
  for (const char* around :
       {"$checkpoint_demo.py:9 log", "$evaluate.py:9 log", "$train.py:9 train_and_evaluate",
        "$ad_checkpoint.py:9 checkpoint", "$core.py:9 eval_jaxpr", "$figures.py:9 save"}) {
    EXPECT_EQ(title(around), "") << around;
  }
  GpuRun run = loop("$train.py:9 save_checkpoint");
  const auto found = FindingsOf(run.View(), "checkpoint");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("train.py:9 save_checkpoint (train.py:4 write_file → time sleep)"),
            std::string::npos)
      << found[0].cause;
  EXPECT_TRUE(FindingsOf(run.View(), "between_steps").empty());
}

TEST(CheckpointRule, CostsTheWorkThatAnEvaluationLaunches) {
  // The device is busy all the time; step 3 launches another 2 ms.
  const auto loop = [](const std::string& doing) {
    GpuRun run;
    double t = 0;
    for (int64_t i = 0; i < 8; ++i) {
      run.Step(i, t, 90);
      run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + i).Work(0, 7, t + 20, 1000, "kernel", 100 + i);
      if (i == 3) {
        run.Host("python", t + 20, 40, doing);
        run.Host("python", t + 30, 5, "cuLaunchKernel", 200).Work(0, 7, t + 1020, 2000, "eval_kernel", 200);
        t += 2000;
      }
      t += 1000;
    }
    return run;
  };
  GpuRun evaluates = loop("evaluate");
  const auto found = FindingsOf(evaluates.View(), "checkpoint");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "Evaluation inside the steps");
  EXPECT_NEAR(CostMs(found[0]), 2.0 / 7, 0.001);  // step 0 is not counted
  EXPECT_NE(found[0].cause.find("in evaluate"), std::string::npos) << found[0].cause;
  EXPECT_EQ(found[0].evidence.at(0).text.find("eval_kernel"), 0u) << found[0].evidence[0].text;
  GpuRun generates = loop("generate");
  EXPECT_TRUE(FindingsOf(generates.View(), "checkpoint").empty());
}

TEST(CheckpointRule, TakesNoFunctionThatTheStepsRunIn) {
  GpuRun run = TestLoop{.doing = "$train.py:4 log"}.Make();
  run.Host("python", -1, 7000, "$main.py:3 run_evaluation");
  EXPECT_TRUE(FindingsOf(run.View(), "checkpoint").empty());
  EXPECT_EQ(FindingsOf(run.View(), "between_steps").size(), 1u);
}

TEST(CheckpointRule, KnowsAnEvaluationThatHasStepsOfItsOwn) {
  const auto loop = [](const std::string& other) {
    GpuRun run;
    double t = 0;
    for (int64_t i = 0; i < 8; ++i) {
      run.Step(i, t, 90);
      run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + i).Work(0, 7, t + 20, 980, "kernel", 100 + i);
      t += 1000;
      if (i != 3 && i != 5) continue;
      run.Host("python", t, 900, other, -1, i);
      run.Host("python", t + 10, 5, "cuLaunchKernel", 200 + i)
          .Work(0, 7, t + 20, 200, "eval_kernel", 200 + i);
      t += 1000;  // the device is done after 220
    }
    return run;
  };
  GpuRun evaluates = loop("eval");
  const auto found = FindingsOf(evaluates.View(), "checkpoint");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "Evaluation inside the steps");
  GpuRun generates = loop("generate");
  EXPECT_TRUE(FindingsOf(generates.View(), "checkpoint").empty());
}

}  // namespace
}  // namespace gait::analyze
