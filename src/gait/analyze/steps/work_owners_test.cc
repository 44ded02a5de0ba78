#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gait/analyze/question/steps/steps_report.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/analyze/view/run_view.h"
#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {
namespace {

const StepSeries& Named(const RunView& view, std::string_view name) {
  return *std::ranges::find(view.hosts[0].series, name, &StepSeries::name);
}

std::vector<uint64_t> Events(const StepSeries& series, size_t device = 0) {
  std::vector<uint64_t> events;
  for (const Step& step : series.steps) events.push_back(step.events[device]);
  return events;
}

TEST(WorkOwners, ALaunchIsOfItsThreadsSteps) {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    const double t = 100 * i;
    // The evaluation on another thread begins before the training's launch and has its own after it.
    run.Host("main", t, 90, "train", -1, i).Host("main", t + 40, 5, "launch", 10 + i);
    run.Host("other", t + 20, 60, "eval", -1, i).Host("other", t + 50, 5, "launch", 20 + i);
    run.Work(0, 1, t + 50, 10, "train", 10 + i).Work(0, 2, t + 60, 25, "eval", 20 + i);
    // A thread without annotations works for the one that began last.
    run.Host("pool", t + 10, 5, "launch", 30 + i).Work(0, 1, t + 15, 5, "more", 30 + i);
  }
  const RunView view = run.View();
  EXPECT_EQ(Events(Named(view, "train")), (std::vector<uint64_t>{2, 2, 2, 2}));
  EXPECT_EQ(Events(Named(view, "eval")), (std::vector<uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(Named(view, "train").steps[2].time[0].length(), Microseconds(100));
  EXPECT_EQ(Named(view, "train").steps[2].time[0].end, Microseconds(260));
}

TEST(WorkOwners, StepsOfOneNameOnTwoThreadsEachHaveTheirDevice) {
  for (const bool one_name : {true, false}) {
    GpuRun run;
    for (int i = 0; i < 5; ++i) {
      for (int k = 0; k < 2; ++k) {
        const double t = 1000 * i + 30 * k;
        const std::string thread = "python" + std::to_string(k);
        run.Host(thread, t, 980, one_name ? "train" : thread, -1, i);
        run.Host(thread, t + 100, 5, "launch", 10 * i + k).Work(k, 1, t + 200, 720, "kernel", 10 * i + k);
      }
    }
    const RunView view = run.View();
    EXPECT_EQ(view.hosts[0].series.size(), one_name ? 1u : 2u);
    for (const StepSeries& series : view.hosts[0].series) {
      EXPECT_TRUE(series.waits);
      for (const Step& step : series.steps) {
        EXPECT_EQ(step.events[0] + step.events[1], 1u);
        EXPECT_TRUE(step.complete());
        EXPECT_EQ(step.host_step.length(), Microseconds(step.number < 4 ? 1000 : 980));
      }
    }
  }
}

// Steps that launch once inside their annotation and once after it; evaluations after an epoch of three, and
// after the loop.
TEST(WorkOwners, EvaluationsBetweenAndAfterLoopsAreNoStep) {
  GpuRun run;
  int64_t id = 0;
  const auto launch = [&](double t, double length) {
    run.Host("python", t, 5, "launch", id).Work(0, 1, t + 10, length, "kernel", id);
    ++id;
  };
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i + (i < 3 ? 0 : 5000);
    run.Step(i, t, 100);
    launch(t + 10, 400);
    launch(t + 450, 50);
    for (int k = 0; k < 4 && i % 3 == 2; ++k) launch(t + 600 + 100 * k, 50);
  }
  const RunView view = run.View();
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_EQ(Events(series), (std::vector<uint64_t>{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(series.steps[2].time[0].end, Microseconds(2610));  // when the evaluation began
  EXPECT_EQ(series.steps[3].time[0], (Interval{Microseconds(2960), Microseconds(8510)}));
  EXPECT_EQ(series.steps[5].time[0].end, Microseconds(10510));
  EXPECT_EQ(series.outside[0], Microseconds(400));
  EXPECT_EQ(view.CoverageNotes(),
            std::vector<std::string>{"without 400 µs of work that was launched between or after the steps"});
}

// What is read after a pause of 5 ms ends no step where it is little: the pause is the next step's. Where it
// is not, the pause is the step's before it.
TEST(WorkOwners, AMetricAfterAPauseDoesNotTakeItOutOfTheSteps) {
  for (const int64_t metric : {39, 41}) {
    GpuRun run;
    for (int i = 0; i < 6; ++i) {
      const double t = 1000 * i + (i < 3 ? 0 : 5000);
      run.Step(i, t, 500).Host("python", t + 10, 5, "launch", i).Work(0, 1, t + 20, 400, "kernel", i);
    }
    run.Host("python", 7600, 5, "launch", 10).Work(0, 1, 7610, static_cast<double>(metric), "metric", 10);
    const RunView view = run.View();
    const StepSeries& series = view.hosts[0].series[0];
    const Ps after = Microseconds(7610) + Microseconds(metric);
    const bool little = metric < 40;
    EXPECT_EQ(series.steps[2].time[0].end, little ? Microseconds(2420) : Microseconds(7610));
    EXPECT_EQ(series.steps[3].time[0].begin, little ? Microseconds(2420) : after);
    EXPECT_TRUE(series.waits);
    EXPECT_EQ(series.left_out[0], little ? Ps() : Microseconds(metric));
    EXPECT_EQ(view.CoverageNotes(), std::vector<std::string>());
  }
}

// The metric is of one device alone: on the other one the loop stood still too, and no longer.
TEST(WorkOwners, APauseIsTheSameStepsOnAllDevices) {
  for (const double metric : {41, 700}) {
    GpuRun run;
    for (int i = 0; i < 6; ++i) {
      const double t = 1000 * i + (i < 3 ? 0 : 5000 + metric);
      run.Step(i, t, 500).Host("python", t + 10, 5, "launch", i);
      for (const int gpu : {0, 1}) run.Work(gpu, 1, t + 20, 400, "kernel", i);
    }
    run.Host("python", 7600, 5, "launch", 10).Work(0, 1, 7610, metric, "metric", 10);
    const RunView view = run.View();
    const StepSeries& series = view.hosts[0].series[0];
    for (const size_t d : {0, 1}) {
      EXPECT_EQ(series.steps[2].time[d].end, Microseconds(7610)) << d;
      EXPECT_EQ(series.steps[3].time[d].begin, Microseconds(7610 + static_cast<int64_t>(metric))) << d;
    }
    for (const size_t d : {0, 1})
      EXPECT_EQ(series.left_out[d], Microseconds(static_cast<int64_t>(metric))) << d;
  }
}

// One device has more of it, and begins earlier. A pause in it that is longer than all of it held up the
// loop.
TEST(WorkOwners, WorkOutsideOfStepsEndsThemOnAllDevicesTogether) {
  for (const double gather : {200, 4000}) {
    GpuRun run;
    for (int i = 0; i < 6; ++i) {
      const double t = 1000 * i + (i < 3 ? 0 : 6000);
      run.Step(i, t, 500).Host("python", t + 10, 5, "launch", i);
      for (const int gpu : {0, 1}) run.Work(gpu, 1, t + 20, 400, "kernel", i);
    }
    run.Host("python", 2600, 5, "launch", 10).Work(0, 1, 2610, gather, "gather", 10);
    run.Host("python", 7600, 5, "launch", 11)
        .Work(0, 1, 7610, 100, "metric", 11)
        .Work(1, 1, 7610, 5, "metric", 11);
    const RunView view = run.View();
    const StepSeries series = view.hosts[0].series[0];
    for (const size_t d : {0, 1})
      EXPECT_EQ(series.steps[2].time[d].end, Microseconds(gather < 1000 ? 7610 : 2610)) << d;
    EXPECT_EQ(series.steps[3].time[0].begin, Microseconds(7710));
    EXPECT_EQ(series.steps[3].time[1].begin, Microseconds(7615));
    // Nor does it matter which of them are looked at.
    const RunView one = run.View({.device = "1"});
    ASSERT_EQ(one.hosts[0].devices.size(), 1U);
    EXPECT_EQ(one.hosts[0].series[0].steps[2].time, std::vector{series.steps[2].time[1]});
    EXPECT_EQ(one.hosts[0].series[0].left_out, std::vector{series.left_out[1]});
  }
}

// Its work is in no step: a whole capture is none.
TEST(WorkOwners, AHostWithoutStepsIsLeftOutWhereAnotherHasSome) {
  GpuRun with;
  GpuRun without;
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i;
    with.Step(i, t, 500).Host("python", t + 10, 5, "launch", i).Work(0, 1, t + 20, 400, "kernel", i);
    without.Work(0, 1, t + 20, 100.0 * (i % 3), "kernel");
  }
  LoadedRun run;
  run.hosts.push_back({"host0", "", with.Build()});
  run.hosts.push_back({"host1", "", without.Build()});
  const RunView view = *RunView::Make(run, {});
  EXPECT_EQ(view.device_steps(), view.hosts[0].device_steps[0]);
  EXPECT_GT(view.device_steps(), 0);
  EXPECT_TRUE(view.hosts[1].windows[0].empty());
  EXPECT_EQ(view.CoverageNotes(), std::vector<std::string>{"without host1, whose capture shows no steps"});
}

// A pool launches three times for every step, sooner or later.
TEST(WorkOwners, LateLaunchesAreTheirStepsWork) {
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    run.Step(i, 100 * i, 50);
    for (int k = 0; k < 3; ++k) {
      const double t = 100 * i + 10 + 20 * k + 5 * i;
      run.Host("pool", t, 1, "launch", 10 * i + k).Work(0, 1, t + 1, 4, "kernel", 10 * i + k);
    }
  }
  const RunView view = run.View();
  EXPECT_EQ(Events(view.hosts[0].series[0]), (std::vector<uint64_t>{3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(view.hosts[0].series[0].outside[0], Ps());
}

TEST(WorkOwners, WorkOfCallsBeforeTheCaptureEndsWhereTheFirstStepBegins) {
  GpuRun run;
  run.Work(0, 1, 0, 80, "left over");
  for (int i = 0; i < 4; ++i) {
    run.Step(i, 50 + 10 * i, 10).Host("python", 51 + 10 * i, 2, "launch", i);
    run.Work(0, 1, 80 + 100 * i, 90, "kernel", i);
  }
  run.Work(0, 1, 300, 200, "nobody's");
  const RunView view = run.View();
  const std::vector<Step>& steps = view.hosts[0].series[0].steps;
  EXPECT_FALSE(steps[0].begin_unknown());
  EXPECT_EQ(steps[0].time[0], (Interval{Microseconds(80), Microseconds(170)}));
  EXPECT_EQ(steps[3].time[0].end, Microseconds(470));
  EXPECT_EQ(Events(view.hosts[0].series[0]), (std::vector<uint64_t>{1, 1, 1, 1}));
}

TEST(Waits, AfterTheAnnotation) {
  struct Wait {
    std::string thread;
    double length;  // of the waiting call, from 60; the work is done at 950
    int every;      // how many steps
    size_t waited;
  };
  const std::vector<Wait> cases = {{"python", 895, 1, 6},  {"python", 300, 1, 0}, {"other", 895, 1, 0},
                                   {"python", 1100, 1, 0}, {"python", 895, 2, 3}, {"python", 895, 6, 0}};
  for (const auto& [thread, length, every, waited] : cases) {
    GpuRun run;
    for (int i = 0; i < 6; ++i) {
      const double t = 1000 * i;
      run.Step(i, t, 50).Host("python", t + 10, 5, "launch", i).Work(0, 1, t + 100, 850, "kernel", i);
      if (i % every == every - 1) run.Host(thread, t + 60, length, "block_until_ready");
    }
    const RunView view = run.View();
    const StepSeries& series = view.hosts[0].series[0];
    EXPECT_EQ(static_cast<size_t>(std::ranges::count_if(series.steps, &Step::waited)), waited)
        << thread << length << every;
    EXPECT_EQ(series.waits, waited == 6);
    EXPECT_EQ(series.steps[0].begin_unknown(), waited != 6);
    if (waited == 6) {
      EXPECT_EQ(series.steps[0].time[0].begin, Ps());
    }
  }
}

TEST(Steps, OfKindsWithTheSameWorkTheInnerOneComesFirst) {
  for (const std::string outer : {"epoch", "z_epoch"}) {
    GpuRun run;
    for (int i = 0; i < 6; ++i) {
      if (i % 3 == 0) run.Host("python", 100 * i, 290, outer, -1, i / 3);
      run.Step(i, 100 * i, 90).Host("python", 100 * i + 10, 5, "launch", i);
      run.Work(0, 1, 100 * i + 20, 60, "kernel", i);
    }
    const RunView view = run.View();
    EXPECT_EQ(view.hosts[0].series[0].name, "train");
    EXPECT_EQ(view.hosts[0].series[1].name, outer);
  }
}

// One CPU device, whose calls do not name their runs. The capture began inside a loop that does not wait: the
// first runs were asked for before it.
std::shared_ptr<LoadedRun> MidLoop(int64_t calls, int64_t runs, int64_t call_period) {
  TestTraceMaker maker;
  const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
  const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps, true);
  const auto python = maker.Thread(maker.Host(), 1, "python");
  for (int64_t i = 0; i < calls; ++i) {
    const int64_t t = call_period * i;
    maker.Event(python, t, t + 8, "train", {{"step_num", 100 + i}});
    maker.Event(python, t + 1, t + 5, "CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice");
  }
  for (int64_t i = 0; i < runs; ++i) {
    maker.Event(ops, 1000 * i, 1000 * i + 900, "fusion",
                {{"run_id", 77 + i}, {"program_id", int64_t{4}}, {"hlo_module", "jit_step"}});
  }
  return maker.Finish();
}

TEST(Launches, MoreRunsThanCallsPairFromTheEnd) {
  const auto run = MidLoop(4, 7, 10);
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_FALSE(series.inferred());
  EXPECT_EQ(Events(series), (std::vector<uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(series.steps[0].time[0], (Interval{Ps(2900), Ps(3900)}));
}

TEST(Launches, NoCallComesAfterItsRun) {
  // The last call would come after the last run.
  const auto run = MidLoop(4, 7, 2500);
  const RunView view = *RunView::Make(*run, {});
  EXPECT_TRUE(view.hosts[0].series[0].inferred());
}

TEST(Steps, WhereNoWorkIsOfAnAnnotatedStepTheyAreInferred) {
  const auto run = MidLoop(30, 8, 10);
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 2u);
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_TRUE(series.inferred());
  EXPECT_EQ(series.name, "jit_step");
  EXPECT_EQ(series.steps[3].duration(), Ps(1000));
  EXPECT_EQ(view.hosts[0].series[1].name, "train");
  EXPECT_TRUE(StepsDocument(view).answer.starts_with("1.00 ns a step (median of 7)"))
      << StepsDocument(view).answer;
}

TEST(Steps, AnAnnotationIsNoStepWhereDevicesWorked) {
  const auto run = MidLoop(30, 2, 10);
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  EXPECT_EQ(
      StepsDocument(view).answer,
      "30 annotations of train, but no device work in this capture belongs to one: how long a step took "
      "is not known.");
}

// The capture of one step of a loop that does not wait: all of its work is in it.
TEST(WorkOwners, AStepThatIsAloneIsWhole) {
  GpuRun run;
  run.Host("main", 100, 20, "train", -1, 7)
      .Host("main", 105, 5, "launch", 1)
      .Work(0, 1, 130, 70, "kernel", 1);
  const RunView view = run.View();
  const StepSeries& series = Named(view, "train");
  ASSERT_EQ(series.steps.size(), 1U);
  EXPECT_FALSE(series.waits);
  EXPECT_TRUE(series.steps[0].complete());
  EXPECT_EQ(series.steps[0].time[0].begin, Microseconds(100));
  EXPECT_EQ(series.steps[0].time[0].end, Microseconds(200));
}

}  // namespace
}  // namespace gait::analyze
