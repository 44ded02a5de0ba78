// Rules about gaps of the device: each must speak in one loop and be silent in one close by.
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

double CostMs(const Finding& finding) { return finding.cost.value_or(Ps()).milliseconds(); }

// A loop whose kernels fill the steps: the host does `doing` behind the device's back.
GpuRun Hidden(const std::string& doing) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 900);
    run.Host("python", t + 1, 500, doing);
    run.Host("python", t + 510, 5, "cuLaunchKernel", 100 + i);
    run.Work(0, 7, t + 1000, 999, "kernel", 100 + i);
  }
  return run;
}

TEST(InputRule, SpeaksWhenTheDeviceWaitsForData) {
  GpuRun run = TestLoop{}.Make();
  const auto found = FindingsOf(run.View(), "input");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.5, 0.02);
  EXPECT_EQ(found[0].severity, Severity::kHigh);
  EXPECT_NE(found[0].cause.find("data_loading"), std::string::npos);
  ASSERT_FALSE(found[0].evidence.empty());
  EXPECT_TRUE(found[0].evidence[0].time.has_value());
}

TEST(InputRule, IsSilentWhenLoadingIsHiddenOrWhenTheHostDoesSomethingElse) {
  GpuRun hidden = Hidden("data_loading");
  EXPECT_TRUE(FindingsOf(hidden.View(), "input").empty());
  GpuRun other = TestLoop{.doing = "bookkeeping"}.Make();
  EXPECT_TRUE(FindingsOf(other.View(), "input").empty());
}

TEST(BetweenStepsRule, SpeaksOfOwnCodeBetweenStepsOnly) {
  GpuRun run = TestLoop{.doing = "bookkeeping"}.Make();
  const auto found = FindingsOf(run.View(), "between_steps");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.7, 0.02);
  GpuRun hidden = Hidden("bookkeeping");
  EXPECT_TRUE(FindingsOf(hidden.View(), "between_steps").empty());
}

TEST(BetweenStepsRule, SaysHowToNameWhatTheHostDid) {
  const auto told = [](const char* doing) {
    GpuRun run = TestLoop{.doing = doing}.Make();
    const auto found = FindingsOf(run.View(), "between_steps");
    EXPECT_EQ(found.size(), 1u);
    return found.at(0).evidence.back().text.find("gait run --python") != std::string::npos;
  };
  EXPECT_TRUE(told(""));
  EXPECT_FALSE(told("bookkeeping"));
  EXPECT_FALSE(told("$train.py:7 log"));  // a frame of the Python tracer
}

TEST(BetweenStepsRule, SaysWhenOneStepHoldsMostOfIt) {
  GpuRun run;
  double t = 0;
  for (int64_t i = 0; i < 8; ++i) {
    const double before = i == 4 ? 3000 : 30;
    run.Step(i, t, before + 20).Host("python", t + 1, before, "bookkeeping");
    run.Host("python", t + before + 10, 5, "cuLaunchKernel", i).Work(0, 7, t + before + 16, 300, "k", i);
    t += before + 316;
  }
  const auto found = FindingsOf(run.View(), "between_steps");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("% of it is in step 4; the other 6 steps share the rest."), std::string::npos)
      << found[0].cause;
  GpuRun every = TestLoop{.doing = "bookkeeping"}.Make();
  EXPECT_EQ(FindingsOf(every.View(), "between_steps")[0].cause.find("of it is in"), std::string::npos);
}

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

TEST(UnexplainedIdleRule, TakesWhatNoOtherFindingClaims) {
  // Launched in time, but held: no rule is about that.
  const auto loop = [](double held) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, 20);
      run.Host("python", t + 1, 5, "cuLaunchKernel", 100 + 2 * i)
          .Work(0, 7, t + 10, 300, "kernel", 100 + 2 * i);
      run.Host("python", t + 7, 5, "cuLaunchKernel", 101 + 2 * i);
      run.Work(0, 8, t + 310 + held, 700 - held, "other", 101 + 2 * i);
    }
    return run;
  };
  GpuRun held = loop(400);
  const Diagnosis diagnosis = DiagnosisOf(held.View());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].rule, "unexplained_idle");
  EXPECT_NEAR(CostMs(diagnosis.findings[0]), 0.4, 0.02);
  EXPECT_NE(diagnosis.findings[0].cause.find("held by a dependency"), std::string::npos);
  EXPECT_NE(diagnosis.findings[0].see.find("--cause dependency"), std::string::npos);
  GpuRun short_gap = loop(50);
  EXPECT_TRUE(DiagnosisOf(short_gap.View()).findings.empty());
  // What a rule explains stays explained when it was not asked for.
  GpuRun input = TestLoop{}.Make();
  EXPECT_TRUE(DiagnosisOf(input.View(), {.only = {"unexplained_idle"}}).findings.size() <= 1);
  for (const Finding& finding : DiagnosisOf(input.View(), {.ignore = {"input"}}).findings)
    EXPECT_EQ(finding.cause.find("busy with input"), std::string::npos);
}

TEST(HostToDeviceRule, NeedsACopy) {
  const auto loop = [](bool copies) {
    return TestLoop{.doing = "BufferFromHostBuffer",
                    .more =
                        [&, copies](GpuRun& run, double t) {
                          if (!copies) return;
                          const auto id = 500 + static_cast<int64_t>(t);
                          run.Host("python", t + 20, 5, "cuMemcpyHtoDAsync_v2", id);
                          run.Work(0, 9, t + 505, 5, "MemcpyH2D", id);
                        }}
        .Make();
  };
  GpuRun copies = loop(true);
  EXPECT_EQ(FindingsOf(copies.View(), "host_to_device").size(), 1u);
  GpuRun none = loop(false);
  EXPECT_TRUE(FindingsOf(none.View(), "host_to_device").empty());
}

TEST(HostToDeviceRule, TakesTheHostsOwnCopyForOne) {
  // A CPU shows no copy but the host's own work on the bytes; an empty device_put moves nothing.
  for (const char* thread : {"python", "tf_XLAPjRtCpuClient/1"}) {
    GpuRun moves = TestLoop{
        .doing = "PjRtClient::BufferFromHostBuffer", .more = [&](GpuRun& run, double t) {
          run.Host(thread, t + 5, 490, "Transpose");
        }}.Make();
    EXPECT_EQ(FindingsOf(moves.View(), "host_to_device").size(), 1u) << thread;
    EXPECT_TRUE(FindingsOf(moves.View(), "input").empty()) << thread;
  }
}

TEST(GarbageCollectionRule, SpeaksOfTheCollectorOnly) {
  GpuRun run = TestLoop{.doing = "$gc collect"}.Make();
  EXPECT_EQ(FindingsOf(run.View(), "garbage_collection").size(), 1u);
  GpuRun other = TestLoop{.doing = "$train.py:3 collect_metrics"}.Make();
  EXPECT_TRUE(FindingsOf(other.View(), "garbage_collection").empty());
}

TEST(GarbageCollectionRule, TellsTheRuntimesFreeingFromPythonsCollector) {
  GpuRun run = TestLoop{.doing = "PythonRefManager::CollectGarbage"}.Make();
  const auto found = FindingsOf(run.View(), "garbage_collection");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "Freeing host arrays in the loop");
  EXPECT_EQ(found[0].fix.find("gc.collect()"), std::string::npos);
}

TEST(GarbageCollectionRule, DoesNotCallACaptureCleanThatCouldNotShowIt) {
  const auto unchecked = [](GpuRun run) {
    const Diagnosis diagnosis = DiagnosisOf(run.View(), {.only = {"garbage_collection"}});
    EXPECT_TRUE(diagnosis.findings.empty());
    return !diagnosis.rules.at(0).unchecked.empty();
  };
  EXPECT_TRUE(unchecked(TestLoop{.doing = "bookkeeping"}.Make()));
  EXPECT_FALSE(unchecked(TestLoop{.doing = "$train.py:3 log"}.Make()));
  EXPECT_FALSE(unchecked(Hidden("garbage collection")));
  EXPECT_TRUE(unchecked(Hidden("PythonRefManager::CollectGarbage")));  // the runtime's, not Python's
  GpuRun watched = TestLoop{.doing = "bookkeeping"}.Make();
  watched.manifest.collections = true;
  EXPECT_FALSE(unchecked(std::move(watched)));
}

TEST(HostCallbackRule, SpeaksOfCallbacksOnly) {
  GpuRun run = TestLoop{.doing = "xla_ffi_python_gpu_callback"}.Make();
  EXPECT_EQ(FindingsOf(run.View(), "host_callback").size(), 1u);
  for (const char* doing : {"call_model_back", "ThenExecuteCallback", "callbacks"}) {
    GpuRun other = TestLoop{.doing = doing}.Make();
    EXPECT_TRUE(FindingsOf(other.View(), "host_callback").empty()) << doing;
  }
}

TEST(HostSyncRule, SpeaksWhenTheHostWaitsForEachStep) {
  const auto loop = [](bool waits) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, 900);
      run.Host("python", t + 100, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, waits ? t + 110 : t + 200, waits ? 500 : 995, "kernel", 100 + i);
      if (waits) run.Host("python", t + 120, 700, "block_until_ready");
    }
    return run;
  };
  GpuRun waiting = loop(true);
  const auto found = FindingsOf(waiting.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.5, 0.001);
  EXPECT_NE(found[0].cause.find("block_until_ready"), std::string::npos);
  GpuRun ahead = loop(false);
  EXPECT_TRUE(FindingsOf(ahead.View(), "host_sync").empty());
}

TEST(HostSyncRule, AHostThatIsLateNeedNotHaveWaited) {
  // The device works for 500 us, the host takes 800: with a wait, named work is what waiting does not hide;
  // without one it is the reason, and where nothing is recorded nobody knows.
  const auto loop = [](bool waits, bool named) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 900 * static_cast<double>(i);
      run.Step(i, t, 880);
      run.Host("python", t + 10, 5, "cuLaunchKernel", i).Work(0, 7, t + 20, 500, "kernel", i);
      if (waits) run.Host("python", t + 20, 510, "block_until_ready");
      if (named) run.Host("python", t + (waits ? 540 : 30), waits ? 330 : 840, "bookkeeping");
    }
    return run;
  };
  GpuRun waiting = loop(true, true);
  const auto found = FindingsOf(waiting.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.4, 0.001);
  EXPECT_NE(found[0].cause.find("bookkeeping"), std::string::npos);
  EXPECT_TRUE(FindingsOf(waiting.View(), "between_steps").empty());
  for (const bool named : {false, true}) {
    GpuRun late = loop(false, named);
    EXPECT_TRUE(FindingsOf(late.View(), "host_sync").empty());
    const auto between = FindingsOf(late.View(), "between_steps");
    ASSERT_EQ(between.size(), 1u);
    EXPECT_NEAR(CostMs(between[0]), 0.4, 0.001);
    const char* words = named ? "in bookkeeping" : "or it waits for the result";
    EXPECT_NE(between[0].cause.find(words), std::string::npos) << between[0].cause;
  }
}

TEST(HostSyncRule, CostsNoMoreThanTheHostWaited) {
  // The device works for 100 us a step, the host has 800 us of its own to do: running ahead saves the wait.
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + i);
    run.Work(0, 7, t + 20, 100, "kernel", 100 + i);
    run.Host("python", t + 20, 130, "block_until_ready");
  }
  const RunView view = run.View();
  const auto found = FindingsOf(view, "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.13, 0.01);
  EXPECT_NE(found[0].cause.find("its own code"), std::string::npos);
  // The rest is the host's own work, and no part of it is claimed twice.
  const auto rest = FindingsOf(view, "between_steps");
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_NEAR(CostMs(rest[0]), 0.76, 0.01);
  const Diagnosis both = DiagnosisOf(view);
  ASSERT_EQ(both.findings.size(), 2u);
  EXPECT_TRUE(both.findings[0].overlaps.empty());
  EXPECT_NEAR(both.step_with_fixed[2].milliseconds(), 0.1, 0.01);
}

// Each step launches six kernels of 200 us, the host stands still `until` us after each launch, and waits for
// the step at its end.
GpuRun Still(double until, bool noisy) {
  GpuRun run;
  int64_t id = 1;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 2500 * static_cast<double>(i);
    run.Step(i, t, 2450);
    for (int k = 0; k < 6; ++k) {
      const double at = t + 10 + (until + 10) * k;
      if (noisy) run.Host("python", at - 9, 8, "ParseArguments");
      if (noisy) run.Host("python", at + 6, until - 2, "PjitFunction(f)");
      run.Host("python", at, 5, "cuLaunchKernel", id).Work(0, 7, at + 6, 200, "kernel", id);
      ++id;
    }
    run.Host("python", t + 2300, 100, "block_until_ready");
  }
  return run;
}

TEST(HostSyncRule, KnowsAHostThatStandsStillUntilTheDeviceIsDone) {
  // No event says that it waits: it launches the next kernel 60 us after the one before is done.
  GpuRun still = Still(270, false);
  const auto found = FindingsOf(still.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 5 * 0.06);
  EXPECT_TRUE(FindingsOf(still.View(), "launch_bound").empty());
  // A host that is seen working meanwhile does not wait, and neither does one that is still for longer after.
  const auto cost = [](GpuRun run) {
    const auto other = FindingsOf(run.View(), "host_sync");
    return other.empty() ? 0.0 : CostMs(other[0]);
  };
  const double end = cost(Still(205, false));  // the wait at the end of the step alone
  EXPECT_LT(cost(Still(270, true)), CostMs(found[0]) - 0.2);
  EXPECT_GT(CostMs(found[0]), end - 0.1);
}

TEST(HostSyncRule, LeavesNoTimeOfAWaitToTheHostsOwnCode) {
  // 500 us of waiting that go on after the device is done, then 300 of the host's own.
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 300, 5, "cuLaunchKernel", 100 + i).Work(0, 7, t + 310, 100, "kernel", 100 + i);
    run.Host("python", t + 320, 600, "$train.py:9 main");
    run.Host("python", t + 330, 580, "$api.py:3165 try_to_block");
  }
  for (const Finding& rest : FindingsOf(run.View(), "between_steps")) {
    EXPECT_LT(CostMs(rest), 0.4);
    EXPECT_EQ(rest.cause.find("try_to_block"), std::string::npos);
  }
  const auto found = FindingsOf(run.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 0.39);
}

// Each step copies 4 MiB to the host, which unpacks them for `unpacking` us of its wait of 600.
GpuRun Fetching(double unpacking) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + 2 * i)
        .Work(0, 7, t + 20, 200, "kernel", 100 + 2 * i);
    run.Host("python", t + 20, 900, "np.asarray(jax.Array)");
    run.Host("python", t + 25, 5, "cuMemcpyDtoHAsync_v2", 101 + 2 * i);
    run.Work(0, 8, t + 220, 80, "MemcpyD2H", 101 + 2 * i);
    if (unpacking > 0) run.Host("python", t + 310, unpacking, "D2H Copy From Staging Buffer");
  }
  return run;
}

TEST(DeviceToHostRule, TakesTheTimeInWhichTheHostUnpacks) {
  GpuRun unpacks = Fetching(600);
  const auto found = FindingsOf(unpacks.View(), "device_to_host");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 0.55);
  EXPECT_NE(found[0].cause.find("unpacks"), std::string::npos);
  // What is left to host_sync is the late launch. The same wait without unpacking is all host_sync's.
  for (const Finding& left : FindingsOf(unpacks.View(), "host_sync")) EXPECT_LT(CostMs(left), 0.15);
  GpuRun waits = Fetching(0);
  const auto copies = FindingsOf(waits.View(), "device_to_host");
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_NEAR(CostMs(copies[0]), 0.08, 0.01);
  const auto sync = FindingsOf(waits.View(), "host_sync");
  ASSERT_EQ(sync.size(), 1u);
  EXPECT_GT(CostMs(sync[0]), 0.5);
}

// As on an H200: the host first pins memory for the bytes, and another thread unpacks them.
TEST(DeviceToHostRule, TakesTheTimeInWhichTheHostMakesRoom) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + 2 * i)
        .Work(0, 7, t + 20, 100, "kernel", 100 + 2 * i);
    run.Host("python", t + 20, 900, "np.asarray(jax.Array)");
    run.Host("worker", t + 600, 5, "cuMemcpyDtoHAsync_v2", 101 + 2 * i);
    run.Work(0, 8, t + 610, 50, "MemcpyD2H", 101 + 2 * i);
    run.Host("copier", t + 670, 240, "D2H Copy From Staging Buffer");
  }
  const auto found = FindingsOf(run.View(), "device_to_host");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 0.7);  // 0.49 before the copies, 0.05 of them, 0.25 after them
  EXPECT_NE(found[0].cause.find("makes room"), std::string::npos);
  for (const Finding& left : FindingsOf(run.View(), "host_sync")) EXPECT_LT(CostMs(left), 0.15);
}

// `kernels` of 5 us a step, launched every `every` us; the host needs 4 us for each.
GpuRun Launching(int kernels, double every, double duration) {
  GpuRun run;
  int64_t correlation = 1;
  for (int64_t i = 0; i < 4; ++i) {
    const double t = 10'000 * static_cast<double>(i);
    run.Step(i, t, 9'000);
    for (int k = 0; k < kernels; ++k) {
      const double at = t + every * k;
      run.Host("python", at, 4, "cuLaunchKernel", correlation);
      run.Work(0, 7, at + 5, duration, "kernel", correlation++);
    }
  }
  return run;
}

TEST(LaunchBoundRule, SpeaksWhenLaunchesComeTooSlowly) {
  GpuRun run = Launching(90, 100, 5);
  const auto found = FindingsOf(run.View(), "launch_bound");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kHigh);
  EXPECT_GT(CostMs(found[0]), 7);
}

TEST(LaunchBoundRule, CountsShortKernelsOfAllNames) {
  const auto evidence = [](bool heavy) {
    GpuRun run = Launching(80, 100, 5);
    for (int i = 0; heavy && i < 4; ++i) run.Work(0, 7, 10'000 * i + 120, 40, "gemm");
    const auto found = FindingsOf(run.View(), "launch_bound");
    EXPECT_EQ(found.size(), 1u);
    return found.at(0).evidence.at(0).text;
  };
  EXPECT_TRUE(evidence(false).starts_with("80 kernels a step, all of them below 10 µs; ")) << evidence(false);
  EXPECT_TRUE(evidence(true).starts_with("81 kernels a step, 80 of them below 10 µs; ")) << evidence(true);
}

TEST(LaunchBoundRule, IsSilentForFewLaunchesAndForABusyDevice) {
  GpuRun few = Launching(5, 100, 5);
  EXPECT_TRUE(FindingsOf(few.View(), "launch_bound").empty());
  GpuRun busy = Launching(90, 100, 99);
  EXPECT_TRUE(FindingsOf(busy.View(), "launch_bound").empty());
}

// A CPU runs `programs` a step, each for `duration` us of the 100 from launch to launch.
TEST(LaunchBoundRule, SpeaksOfProgramsOnACpu) {
  const auto loop = [](int64_t programs, int64_t duration) {
    TestTraceMaker maker;
    const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
    const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps, true);
    const auto python = maker.Thread(maker.Host(), 1, "python");
    int64_t id = 1;
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t t = 100 * programs * i * kMicro;
      maker.Event(python, t, t + 100 * programs * kMicro - 1, "train", {{"step_num", i}});
      for (int64_t k = 0; k < programs; ++k, ++id) {
        const int64_t at = t + 100 * k * kMicro;
        maker.Event(python, at + kMicro, at + 4 * kMicro, "PjRtLoadedExecutable::Execute", {{"run_id", id}});
        maker.Event(ops, at + 5 * kMicro, at + (5 + duration) * kMicro, "add",
                    {{"run_id", id}, {"device_ordinal", int64_t{0}}});
      }
    }
    const auto run = maker.Finish();
    return FindingsOf(*RunView::Make(*run, {}), "launch_bound");
  };
  const auto eager = loop(40, 10);
  ASSERT_EQ(eager.size(), 1u);
  EXPECT_GT(CostMs(eager[0]), 3);
  EXPECT_NE(eager[0].cause.find("40 programs a step"), std::string::npos);
  EXPECT_TRUE(loop(40, 98).empty());
  EXPECT_TRUE(loop(5, 10).empty());
}

TEST(TinyKernelsRule, SpeaksOfGapsBetweenKernelsThatWereLaunchedInTime) {
  const auto loop = [](double duration) {
    GpuRun run;
    int64_t correlation = 1;
    for (int64_t i = 0; i < 4; ++i) {
      const double t = 10'000 * static_cast<double>(i);
      run.Step(i, t, 900);
      for (int k = 0; k < 200; ++k) {
        run.Host("python", t + k, 0.5, "cuLaunchKernel", correlation);
        run.Work(0, 7, t + 1000 + 30 * k, duration, "kernel", correlation++);
      }
    }
    return run;
  };
  GpuRun tiny = loop(19);  // of 30: gaps of 11 us
  EXPECT_EQ(FindingsOf(tiny.View(), "tiny_kernels").size(), 1u);
  GpuRun full = loop(29);
  EXPECT_TRUE(FindingsOf(full.View(), "tiny_kernels").empty());
}

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

TEST(PythonTracerRule, SpeaksOfFramesInAHostBoundCaptureOnly) {
  GpuRun run = TestLoop{.doing = "$train.py:3 log"}.Make();
  const auto found = FindingsOf(run.View(), "python_tracer");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].cost.has_value());
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  GpuRun hidden = Hidden("$train.py:3 log");
  EXPECT_TRUE(FindingsOf(hidden.View(), "python_tracer").empty());
  GpuRun untraced = TestLoop{.doing = "bookkeeping"}.Make();
  EXPECT_TRUE(FindingsOf(untraced.View(), "python_tracer").empty());
}

TEST(PythonTracerRule, CountsNoSleep) {
  GpuRun run = TestLoop{
      .before = 800, .doing = "$train.py:3 log", .more = [](GpuRun& made, double t) {
        made.Host("python", t + 2, 790, "$time sleep");
      }}.Make();
  EXPECT_TRUE(FindingsOf(run.View(), "python_tracer").empty());
  // The line is the user's.
  const auto found = FindingsOf(run.View(), "between_steps");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("train.py:3 log → time sleep"), std::string::npos) << found[0].cause;
}

// Devices 1 and 2 idle twice each while device 0 idles once: two others, not four.
TEST(GapEvidence, CountsDevicesNotGaps) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 550);
    run.Host("python", t + 1, 500, "data_loading");
    for (int64_t gpu = 0; gpu < 3; ++gpu) {
      run.Host("python", t + 510 + 5 * static_cast<double>(gpu), 4, "cuLaunchKernel", 1000 + 10 * i + gpu);
      run.Work(gpu, 7, t + 530, 470, "kernel", 1000 + 10 * i + gpu);
      if (gpu == 0) continue;
      run.Host("worker", t + 180 + 5 * static_cast<double>(gpu), 4, "cuLaunchKernel", 2000 + 10 * i + gpu);
      run.Work(gpu, 7, t + 200, 10, "kernel", 2000 + 10 * i + gpu);
    }
  }
  const auto found = FindingsOf(run.View(), "input");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].evidence[0].text.find("GPU 0 and 2 others"), std::string::npos)
      << found[0].evidence[0].text;
}

}  // namespace
}  // namespace gait::analyze
