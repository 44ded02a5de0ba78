#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/work_class.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/analyze/steps/step_statistics.h"
#include "gait/analyze/steps/test_steps.h"
#include "gait/analyze/view/run_view.h"
#include "gait/analyze/view/test_gpu.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

using step_testing::Kernel;
using step_testing::MakeTrace;
using step_testing::Mark;
using step_testing::Steps;

TEST(InferredSteps, AnInferredStepIsTheWholeRoundNotTheLayerInIt) {
  // Each step: 30 times the same layer, then the update. All but one launch in thirty follow the layer.
  std::vector<std::pair<int64_t, std::string>> launches;
  for (int64_t step = 0; step < 4; ++step) {
    for (int64_t layer = 0; layer < 30; ++layer) launches.emplace_back(1000 * step + 10 * layer, "jit_layer");
    launches.emplace_back(1000 * step + 500, "jit_update");
  }
  const std::vector<StepSeries> series = Steps(MakeTrace({}, {{0, 10, 20}}, launches));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].steps.size(), 4u);
}

TEST(InferredSteps, InferredFromThePeriodOfProgramLaunches) {
  const Trace trace = MakeTrace({}, {{0, 10, 20}, {100, 110, 150}, {200, 210, 250}, {300, 310, 360}},
                                {{0, "jit_train"},
                                 {50, "jit_loss"},
                                 {100, "jit_train"},
                                 {150, "jit_loss"},
                                 {200, "jit_train"},
                                 {250, "jit_loss"},
                                 {300, "jit_train"},
                                 {350, "jit_loss"}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_TRUE(series[0].inferred());
  EXPECT_EQ(series[0].name, "jit_train");
  ASSERT_EQ(series[0].steps.size(), 4u);
  EXPECT_EQ(series[0].steps[3].time[0], (Interval{Ps(250), Ps(360)}));
}

TEST(InferredSteps, WhatRunsBeforeTheLoopIsNoStep) {
  std::vector<std::pair<int64_t, std::string>> launches = {
      {0, "jit_init"}, {10, "jit_cast"}, {20, "jit_sum"}, {30, "jit_sum"}};
  for (int64_t step = 0; step < 80; ++step) launches.emplace_back(100 + 10 * step, "jit_train");
  const std::vector<StepSeries> series = Steps(MakeTrace({}, {{0, 10, 20}, {100, 110, 120}}, launches));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "jit_train");
  EXPECT_EQ(series[0].steps.size(), 80u);
}

// Steps of launches, a letter each: what it runs; `name` says what it is called. Each takes a device 10 ps
// per unit of `work`.
struct LetterLoop {
  std::string letters;
  std::map<char, std::string> names = {{'t', "jit_train"}, {'e', "jit_evaluate"}, {'l', "jit_loss"}};
  std::map<char, int64_t> work{};

  std::vector<StepSeries> Find() const {
    std::vector<std::pair<int64_t, std::string>> launches;
    std::vector<Kernel> kernels;
    for (size_t i = 0; i < letters.size(); ++i) {
      const auto begin = static_cast<int64_t>(1000 * i);
      launches.emplace_back(begin, names.at(letters[i]));
      const int64_t units = work.contains(letters[i]) ? work.at(letters[i]) : 1;
      kernels.push_back({begin + 1, begin + 5, begin + 5 + 10 * units});
    }
    return Steps(MakeTrace({}, kernels, launches));
  }
};

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(InferredSteps, AnEvaluationAfterEveryTenthStepBelongsToTheStepBefore) {
  const auto series = LetterLoop{Repeated("tttttttttte", 4)}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].launches, 1u);
  ASSERT_EQ(series[0].steps.size(), 40u);
  EXPECT_EQ(series[0].steps[8].events[0], 1u);
  EXPECT_EQ(series[0].steps[9].events[0], 2u);
  EXPECT_EQ(series[0].steps[39].events[0], 1u);  // what follows the loop is no step's
  EXPECT_TRUE(series[0].note.starts_with("jit_evaluate runs about once in 10 steps")) << series[0].note;
}

TEST(InferredSteps, EvaluationsNowAndThenDoNotHideTheLoop) {
  const std::string letters =
      "ttttttttt"
      "e"
      "tttttttttt"
      "e"
      "ttttttttttt"
      "e"
      "ttttttttt"
      "e"
      "ttt";
  const auto series = LetterLoop{letters}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].steps.size(), 42u);
  EXPECT_EQ(series[0].steps[8].events[0], 2u);
  EXPECT_EQ(series[0].note, "");
  const auto pairs =
      LetterLoop{Repeated("tl", 9) + "e" + Repeated("tl", 13) + "e" + Repeated("tl", 8)}.Find();
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].launches, 2u);
  EXPECT_EQ(pairs[0].steps.size(), 30u);
}

TEST(InferredSteps, MicroStepsAndTheirUpdateAreOneStep) {
  const auto four = LetterLoop{Repeated("ttttl", 8)}.Find();
  ASSERT_EQ(four.size(), 1u);
  EXPECT_EQ(four[0].steps.size(), 8u);
  EXPECT_EQ(four[0].launches, 5u);
  EXPECT_NE(four[0].note.find("may also be a step, with jit_loss after about every 4"), std::string::npos)
      << four[0].note;
  const std::map<char, std::string> names = {{'t', "jit_train"}, {'u', "jit_update"}, {'e', "jit_evaluate"}};
  const auto ten = LetterLoop{Repeated("ttttttttttu", 8), names}.Find();
  ASSERT_EQ(ten.size(), 1u);
  EXPECT_EQ(ten[0].steps.size(), 8u);
  EXPECT_NE(ten[0].note, "");
  // The step itself may be called an update.
  EXPECT_EQ((LetterLoop{Repeated("uuuuuuuuuue", 4), names}.Find()[0].steps.size()), 40u);
}

TEST(InferredSteps, WhatDevicesWorkLongestForIsNotRare) {
  // Ten small launches that prepare a step.
  const auto series =
      LetterLoop{Repeated("llllllllllt", 4), {{'l', "jit_slice"}, {'t', "jit_train"}}, {{'t', 200}}}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].steps.size(), 4u);
  EXPECT_EQ(series[0].note, "");
  // Or four steps, and an evaluation that takes longer.
  const auto evaluated = LetterLoop{.letters = Repeated("tttte", 4), .work = {{'e', 8}}}.Find();
  ASSERT_EQ(evaluated.size(), 1u);
  EXPECT_EQ(evaluated[0].steps.size(), 4u);
  EXPECT_NE(evaluated[0].note.find("may also be a step, with jit_evaluate after about every 4"),
            std::string::npos)
      << evaluated[0].note;
}

TEST(InferredSteps, WhatStandsAroundALoopOfOneProgramIsNoStep) {
  EXPECT_EQ((LetterLoop{"tttttttttttt"}.Find()[0].steps.size()), 12u);
  const auto series = LetterLoop{"eeeee" + Repeated("t", 20) + "eeeeeee"}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "jit_train");
  ASSERT_EQ(series[0].steps.size(), 20u);
  for (const Step& step : series[0].steps) EXPECT_EQ(step.events[0], 1u);
}

TEST(InferredSteps, WithoutALoopThereAreNone) {
  EXPECT_TRUE((LetterLoop{"tel"}.Find().empty()));
  EXPECT_TRUE((LetterLoop{"telltteetletlle"}.Find().empty()));
}

TEST(InferredSteps, OneThreadsLaunchesAreTheLoop) {
  GpuRun run;
  // The evaluation of the other thread comes at any time, and works less.
  for (int i = 0; i < 12; ++i) {
    run.Host("python", 100 * i, 20, "PjitFunction(train)")
        .Host("python", 100 * i + 10, 5, "cuLaunchKernel", i)
        .Work(0, 1, 100 * i + 20, 60, "train", i);
  }
  for (int i = 0; i < 20; ++i) {
    const double t = 57 * i + (i * i) % 23;
    run.Host("server", t, 20, "PjitFunction(serve)")
        .Host("server", t + 10, 5, "cuLaunchKernel", 100 + i)
        .Work(0, 2, t + 21, 9, "serve", 100 + i);
  }
  const RunView view = run.View();
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_EQ(series.name, "train");
  ASSERT_EQ(series.steps.size(), 12u);
  for (const Step& step : series.steps) EXPECT_EQ(step.events[0], 1u);
  EXPECT_EQ(series.steps[5].time[0].length(), Microseconds(100));
  EXPECT_EQ(series.of_others, Microseconds(180));
  EXPECT_EQ(view.CoverageNotes(),
            std::vector<std::string>{"counts what ran meanwhile, also 180 µs of work that other threads "
                                     "launched: annotate the steps"});
}

TEST(InferredSteps, InferredFromCallsOfJittedFunctionsWhereRunsHaveNoIds) {
  GpuRun run;
  for (int i = 0; i < 5; ++i) {
    run.Host("python", 100 * i, 40, "PjitFunction(conv)")
        .Host("python", 100 * i + 1, 30, "PjitFunction(conv)")
        .Host("python", 100 * i + 10, 5, "hipModuleLaunchKernel", i)
        .Work(0, 1, 100 * i + 20, 30, "conv", i);
  }
  const RunView view = run.View();
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  EXPECT_TRUE(view.hosts[0].series[0].inferred());
  EXPECT_EQ(view.hosts[0].series[0].name, "conv");
  EXPECT_EQ(view.hosts[0].series[0].steps.size(), 5u);
}

TEST(InferredSteps, CallsThatOnlyQueueWorkForLaterAreNoSteps) {
  GpuRun run;
  for (int i = 0; i < 20; ++i) {
    run.Host("python", i, 0.5, "PjitFunction(f)")
        .Host("py_xla_execute", 1000 + 100 * i, 5, "cuLaunchKernel", i)
        .Work(0, 1, 1010 + 100 * i, 30, "kernel", i);
  }
  EXPECT_TRUE(run.View().hosts[0].series.empty());
}

// Two TPUs, each with its own count of runs; the first ran something of its own before. Nothing of the host.
TEST(InferredSteps, InferredFromTheModulesOfEachDevice) {
  TestTraceMaker maker;
  for (int64_t d = 0; d < 2; ++d) {
    const PlaneId tpu = maker.Plane("/device:TPU:" + std::to_string(d), PlaneKind::kTpu, d);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    int64_t run = 1;
    const auto add = [&](int64_t begin, int64_t end, const std::string& name) {
      maker.Event(modules, begin, end, name, {{"run_id", run++}});
      maker.Event(ops, begin, end, "fusion");
    };
    if (d == 0) add(0, 10, "jit_init(7)");
    add(20, 30, "jit_init(8)");
    for (int64_t step = 0; step < 5; ++step)
      add(100 * step + 100 + 5 * d, 100 * step + 190 + 5 * d, "jit_f(12)");
    add(700, 710, "jit_save(9)");
  }
  const auto run = maker.Finish();
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_TRUE(series.inferred());
  EXPECT_FALSE(series.host_known());
  EXPECT_FALSE(series.waits);
  EXPECT_EQ(series.name, "jit_f");
  ASSERT_EQ(series.steps.size(), 5u);
  EXPECT_EQ(series.steps[3].time[0], (Interval{Ps(390), Ps(490)}));
  EXPECT_EQ(series.steps[3].time[1], (Interval{Ps(395), Ps(495)}));
  EXPECT_EQ(series.steps[4].events[0], 1u);
}

// Three runs of another program, which repeat as the loop's do, stand right before a long loop of the second
// device.
TEST(InferredSteps, ALoopBeginsWithAProgramOfItsOwn) {
  TestTraceMaker maker;
  for (int64_t d = 0; d < 2; ++d) {
    const PlaneId tpu = maker.Plane("/device:TPU:" + std::to_string(d), PlaneKind::kTpu, d);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    const auto add = [&](int64_t begin, const std::string& name) {
      maker.Event(modules, begin, begin + 90, name);
      maker.Event(ops, begin, begin + 90, "fusion");
    };
    for (int64_t i = 0; i < 3; ++i) {
      if (d == 0) add(200 * i, "jit_init(7)");
      add(200 * i + 100, "jit_psum(9)");
    }
    for (int64_t step = 0; step < 100; ++step) add(1000 + 100 * step, "jit_f(12)");
    add(20'000, "jit_psum(9)");
  }
  const auto run = maker.Finish();
  const StepSeries series = RunView::Make(*run, {})->hosts[0].series[0];
  EXPECT_EQ(series.name, "jit_f");
  ASSERT_EQ(series.steps.size(), 100u);
  for (const size_t device : {0, 1}) EXPECT_EQ(series.steps[50].time[device].length(), Ps(100));
}

// A program made from one line of source.
Program OfLine(uint64_t id, const std::string& name, int32_t line) {
  Program program;
  program.id = id;
  program.name = name;
  Instruction& add = program.instructions.emplace_back();
  add.source_file = program.strings.Intern("train.py");
  add.source_line = line;
  return program;
}

// Operations of a CPU share the run's id; the event that ends a run has it too, and names a device.
TEST(InferredSteps, TheEndOfARunIsNoLaunch) {
  TestTraceMaker maker;
  const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
  const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps);
  const PlaneId host = maker.Host();
  const auto worker = maker.Thread(host, 1, "tf_XLAPjRtCpuClient");
  for (int64_t i = 0; i < 12; ++i) {
    // Four programs before the loop; all of one name, and known by their lines.
    const int64_t program = i < 4 ? 10 + i : 4;
    if (i <= 4) {
      maker.builder().AddProgram(
          OfLine(static_cast<uint64_t>(program), "jit__lambda", static_cast<int32_t>(20 + i)));
    }
    maker.Event(ops, 100 * i, 100 * i + 50, "fusion",
                {{"run_id", 1000 - i}, {"program_id", program}, {"hlo_module", "jit__lambda"}});
    maker.Event(worker, 100 * i + 50, 100 * i + 55, "ThunkExecutor::Execute (wait for completion)",
                {{"run_id", 1000 - i}, {"device_ordinal", int64_t{0}}});
  }
  const auto run = maker.Finish();
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  EXPECT_EQ(view.hosts[0].series[0].name, "jit__lambda");
  ASSERT_EQ(view.hosts[0].series[0].steps.size(), 8u);
  for (const Step& step : view.hosts[0].series[0].steps) EXPECT_EQ(step.events[0], 1u);
}

// A letter is a run of a program; `programs` says which function of which line it was compiled from.
std::vector<StepSeries> StepsOfCpu(const std::string& letters,
                                   const std::map<char, std::pair<std::string, int32_t>>& programs) {
  TestTraceMaker maker;
  const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
  const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps);
  for (const auto& [letter, source] : programs)
    maker.builder().AddProgram(OfLine(static_cast<uint64_t>(letter), source.first, source.second));
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto t = static_cast<int64_t>(100 * i);
    maker.Event(
        ops, t, t + 50, "fusion",
        {{"run_id", t}, {"program_id", int64_t{letters[i]}}, {"hlo_module", programs.at(letters[i]).first}});
  }
  const auto run = maker.Finish();
  return RunView::Make(*run, {})->hosts[0].series;
}

TEST(InferredSteps, AFunctionOfAnotherShapeIsTheSameProgram) {
  const std::map<char, std::pair<std::string, int32_t>> programs = {
      {'t', {"jit_train", 7}}, {'T', {"jit_train", 7}}, {'o', {"jit_train", 40}}, {'l', {"jit_log", 9}}};
  for (const std::string letters : {"ttttttTTTT", "tTTtTtTTtT"}) {
    const auto series = StepsOfCpu(letters, programs);
    ASSERT_EQ(series.size(), 1u);
    EXPECT_EQ(series[0].launches, 1u);
    EXPECT_EQ(series[0].steps.size(), 10u);
    EXPECT_EQ(series[0].outside[0], Ps());
  }
  EXPECT_EQ(StepsOfCpu("tltlTlTlTl", programs)[0].steps.size(), 5u);
  // One of the same name is another function, where it is from other lines.
  const auto other = StepsOfCpu("tototototo", programs);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].launches, 2u);
}

TEST(InferredSteps, AFunctionOfAnotherShapeIsTheSameModuleOfATpu) {
  for (const bool lines : {true, false}) {
    TestTraceMaker maker;
    const PlaneId tpu = maker.Plane("/device:TPU:0", PlaneKind::kTpu, 0);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    for (const uint64_t id : {12, 13}) {
      if (lines) maker.builder().AddProgram(OfLine(id, "jit_train", 7));
    }
    for (int64_t step = 0; step < 9; ++step) {
      maker.Event(modules, 100 * step, 100 * step + 90, step < 5 ? "jit_train(12)" : "jit_train(13)");
      maker.Event(ops, 100 * step, 100 * step + 90, "fusion");
    }
    const auto run = maker.Finish();
    EXPECT_EQ(RunView::Make(*run, {})->hosts[0].series[0].steps.size(), 9u);
  }
}

TEST(InferredSteps, WorkAfterInferredStepsIsCounted) {
  const auto runs = StepsOfCpu("iiTTTTTTTee",
                               {{'i', {"jit_init", 1}}, {'T', {"jit_train", 7}}, {'e', {"jit_evaluate", 9}}});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].steps.size(), 7u);
  EXPECT_EQ(runs[0].outside[0], Ps(100));
  const auto launches = LetterLoop{"ltttttttee"}.Find();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].steps.size(), 7u);
  EXPECT_EQ(launches[0].outside[0], Ps(20));
}

// A capture that somebody else began and ended, in the middle of steps: there are more runs than calls, or as
// many of both that are not each other's. A call gives its work to a thread of the pool, or does it itself.
TEST(InferredSteps, ARunOfACpuIsTheCallsThatGaveItToItsThread) {
  for (const bool pool : {true, false}) {
    TestTraceMaker maker;
    const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
    const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps, true);
    const PlaneId host = maker.Host();
    const auto python = maker.Thread(host, 1, "python");
    const auto worker = maker.Thread(host, 2, "tf_XLAPjRtCpuClient");
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t t = 1000 * i;
      const TestTraceMaker::Args run = {{"run_id", 77 * (i + 1)}, {"device_ordinal", int64_t{0}}};
      if (i > 0) {  // the first call came before the capture
        maker.Event(python, t, t + 900, "train", {{"step_num", i}});
        maker.Event(python, t + 10, t + (pool ? 50 : 500),
                    "CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice");
        if (pool) maker.Event(python, t + 20, t + 20, "ThreadpoolListener::Record", {{"_p", 7 * i}});
        if (pool) maker.Event(python, t + 60, t + 70, "CommonPjRtBuffer::Await");
        if (pool) maker.Event(worker, t + 90, t + 90, "ThreadpoolListener::StartRegion", {{"_c", 7 * i}});
      }
      maker.Event(pool ? worker : python, t + 100, t + 400, "fusion", run);
      maker.Event(ops, t + 100, t + 400, "fusion", run);
      if (pool) maker.Event(worker, t + 450, t + 450, "ThreadpoolListener::StopRegion");
    }
    const auto run = maker.Finish();
    const RunView view = *RunView::Make(*run, {});
    ASSERT_EQ(view.hosts[0].series.size(), 1u);
    const std::vector<Step>& steps = view.hosts[0].series[0].steps;
    ASSERT_EQ(steps.size(), 5u);
    for (size_t s = 0; s < steps.size(); ++s) {
      EXPECT_EQ(steps[s].events[0], 1u);
      EXPECT_EQ(steps[s].time[0].end, Ps(1000 * static_cast<int64_t>(s + 1) + 400));
    }
    // A host that runs the programs itself has not waited for them.
    EXPECT_EQ(view.hosts[0].series[0].waits, pool);
    EXPECT_EQ(view.hosts[0].series[0].loop == Loop::kInline, !pool);
  }
}

TEST(InferredSteps, InferredStepsOfALoopThatWaits) {
  for (const bool waits : {false, true}) {
    GpuRun run;
    for (int i = 0; i < 5; ++i) {
      run.Host("python", 100 * i, 30, "PjitFunction(f)")
          .Host("python", 100 * i + 10, 5, "cuLaunchKernel", i)
          .Host("python", 100 * i + 40, 20, waits ? "block_until_ready" : "sleep")
          .Work(0, 1, 100 * i + 20, 30, "kernel", i);
    }
    const RunView view = run.View();
    ASSERT_EQ(view.hosts[0].series.size(), 1u);
    EXPECT_EQ(view.hosts[0].series[0].waits, waits);
    EXPECT_EQ(view.hosts[0].series[0].LoopText(),
              waits ? "the host waits for each step" : "the host is slower than the device");
  }
}

// A call compiles first, and launches then: both are of the step that it begins.
TEST(InferredSteps, AnInferredOneBeginsWithTheCallAroundItsFirstLaunch) {
  TestTraceMaker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 1);
  const auto python = maker.Thread(maker.Host(), 1, "python");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i;
    maker.Event(python, t, t + 800, "PjitFunction(f)");
    maker.Event(python, t + 10, t + 790, "PjitFunction(f)");
    if (i == 3) maker.Event(python, t + 100, t + 600, "backend_compile_and_load");
    maker.Event(python, t + 700, t + 750, "PjRtLoadedExecutable::Execute (jit_f)", {{"run_id", i}});
    maker.Event(python, t + 710, t + 720, "cuLaunchKernel", {{"correlation_id", i}});
    maker.Event(stream, t + 720, t + 900, "kernel", {{"correlation_id", i}});
    // Launched by a call that made the one before too: no step begins with that.
    maker.Event(python, t + 760, t + 780, "PjRtLoadedExecutable::Execute (jit_g)", {{"run_id", 10 + i}});
  }
  const auto run = maker.Finish();
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const std::vector<Step>& steps = view.hosts[0].series[0].steps;
  ASSERT_EQ(steps.size(), 6u);
  for (size_t s = 0; s + 1 < steps.size(); ++s) {
    const auto t = static_cast<int64_t>(1000 * s);
    EXPECT_EQ(steps[s].host, (Interval{Ps(t), Ps(t + 1000)}));
    EXPECT_EQ(steps[s].compiles, s == 3);
    EXPECT_EQ(steps[s].events[0], 1u);
  }
}

TEST(InferredSteps, AnInferredOneDoesNotBeginBeforeTheLastLaunchOfAnother) {
  TestTraceMaker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 1);
  const auto python = maker.Thread(maker.Host(), 1, "python");
  maker.Event(python, 0, 10'000, "PjitFunction(all)");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i;
    maker.Event(python, t + 700, t + 750, "PjRtLoadedExecutable::Execute (jit_f)", {{"run_id", i}});
    maker.Event(python, t + 710, t + 720, "cuLaunchKernel", {{"correlation_id", i}});
    maker.Event(stream, t + 720, t + 900, "kernel", {{"correlation_id", i}});
  }
  const auto run = maker.Finish();
  const std::vector<Step> steps = RunView::Make(*run, {})->hosts[0].series[0].steps;
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0].host, (Interval{Ps(0), Ps(1700)}));
  EXPECT_EQ(steps[1].host, (Interval{Ps(1700), Ps(2700)}));
}

}  // namespace
}  // namespace gait::analyze
