#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gait/analyze/question/path/critical_path.h"
#include "gait/analyze/question/path/path_report.h"
#include "gait/analyze/view/test_gpu.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

using Map = std::map<std::string, double>;

HostPath Paths(const RunView& view) { return FindPaths(view.hosts[0], HostActivity(view.hosts[0].trace())); }
Map Classes(const StepPath& path) {
  Map classes;
  for (size_t c = 0; c < kPathClasses; ++c) {
    if (path.by[c] == Ps()) continue;
    classes[std::string(Name(static_cast<PathClass>(c)))] = static_cast<double>(path.by[c].value()) / 1e6;
  }
  return classes;
}
Map Classes(GpuRun& run) {
  const RunView view = run.View();
  return Classes(Paths(view).paths.at(0));
}

// Kernels of no program are unknown work; copies and collectives are known by their names.
TEST(Path, FollowsTheStreamAndThenTheLaunchAndTheHost) {
  GpuRun run;
  run.Step(0, 0, 300).Host("python", 10, 40, "data_loading").Host("python", 60, 40, "PjitFunction(f)");
  run.Host("python", 90, 5, "launch", 1).Work(0, 14, 97, 50, "Memcpy1", 1);
  run.Host("python", 95, 5, "launch", 2).Work(0, 14, 150, 50, "Memcpy2", 2);
  // Back from 200: two copies with 3 us between them, launch [90, 97), dispatch [60, 90), Python, input,
  // Python.
  EXPECT_EQ(Classes(run),
            (Map{{"copies", 100}, {"kernel_gap", 3}, {"launch", 7}, {"dispatch", 50}, {"input", 40}}));
}

TEST(Path, ALaunchThatCameTooLateBindsAndOneInTimeDoesNot) {
  GpuRun run;
  run.Step(0, 0, 400).Host("python", 0, 2, "launch", 1).Work(0, 14, 2, 10, "Memcpy", 1);
  run.Host("python", 20, 5, "launch", 2).Work(0, 14, 26, 10, "Memcpy", 2);   // launched after: [20, 26)
  run.Host("python", 27, 2, "launch", 3).Work(0, 14, 100, 10, "Memcpy", 3);  // in time, held for 64
  EXPECT_EQ(Classes(run), (Map{{"copies", 20}, {"kernel_gap", 64}, {"launch", 8}, {"dispatch", 18}}));
}

TEST(Path, APauseBeforeWorkThatIsNoStepsIsTheHosts) {
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i + (i < 3 ? 0 : 5000);
    run.Step(i, t, 500).Host("python", t + 10, 5, "launch", i);
    for (const int gpu : {0, 1}) run.Work(gpu, 1, t + 15, 400, "Memcpy", i);
  }
  run.Host("python", 2500, 5000, "save_checkpoint");
  run.Host("python", 7600, 10, "launch", 10).Work(0, 1, 7610, 60, "evaluation", 10);
  const RunView view = run.View();
  const HostPath paths = Paths(view);
  size_t found = 0;
  for (const StepPath& path : paths.paths) {
    if (path.step->number != 2) continue;
    ++found;
    const Map classes = Classes(path);
    EXPECT_EQ(classes.count("unknown"), 0U);
    EXPECT_EQ(classes.at("copies"), 400);
    EXPECT_GE(classes.at("dispatch"), 5000);
  }
  EXPECT_EQ(found, 2U);
}

TEST(Path, WorkThatIsHeldAfterItsLaunchIsNoLaunchOverhead) {
  GpuRun run;
  run.Step(0, 0, 900)
      .Host("python", 10, 5, "launch", 1)
      .Work(0, 14, 115, 10, "Memcpy", 1);  // 100 us after it
  EXPECT_EQ(Classes(run), (Map{{"copies", 10}, {"launch", 105}, {"dispatch", 10}}));
  GpuRun held;
  held.Step(0, 0, 900).Host("python", 10, 5, "launch", 1).Work(0, 14, 415, 10, "Memcpy", 1);
  EXPECT_EQ(Classes(held), (Map{{"copies", 10}, {"unknown", 400}, {"launch", 5}, {"dispatch", 10}}));
}

TEST(Path, AWaitOfTheHostLeadsBackToWhatItWaitedFor) {
  GpuRun run;
  run.Step(0, 0, 400).Host("python", 0, 5, "launch", 1).Work(0, 14, 5, 100, "Memcpy", 1);
  run.Host("python", 10, 100, "np.asarray(jax.Array)");  // until 110; the copy ended at 105
  run.Host("python", 120, 5, "launch", 2).Work(0, 14, 125, 75, "Memcpy", 2);
  EXPECT_EQ(Classes(run), (Map{{"copies", 175}, {"host_sync", 5}, {"dispatch", 10}, {"launch", 10}}));
}

TEST(Path, AWaitThatIsWrittenAsItsTwoEndsLeadsBackToo) {
  GpuRun run;
  run.Step(0, 0, 400).Host("python", 0, 5, "launch", 1).Work(0, 14, 5, 90, "Memcpy", 1);
  run.Host("python", 10, 1, "CommonPjRtBuffer::Await").With("_p", "7");
  run.Host("python", 100, 1, "CommonPjRtBuffer::Await").With("_c", "7");
  run.Host("python", 110, 5, "launch", 2).Work(0, 14, 115, 75, "Memcpy", 2);
  EXPECT_EQ(Classes(run), (Map{{"copies", 165}, {"host_sync", 6}, {"dispatch", 9}, {"launch", 10}}));
}

TEST(Path, AThreadThatStoodStillUntilTheDeviceWasDoneWaited) {
  // A copy of 300 us; then the host makes the next launch, having been at something or at nothing.
  const auto after = [](double launch, const char* at) {
    GpuRun run;
    run.Step(0, 0, 2000).Host("python", 0, 5, "launch", 1).Work(0, 14, 5, 300, "Memcpy", 1);
    if (at != nullptr) run.Host("python", 5, launch - 5, at);
    run.Host("python", launch, 5, "launch", 2).Work(0, 14, launch + 5, 75, "Memcpy", 2);
    return Classes(run);
  };
  const Map waited{{"copies", 375}, {"host_sync", 15}, {"launch", 10}};
  EXPECT_EQ(after(320, nullptr), waited);
  EXPECT_EQ(after(320, "forward"), waited);  // an annotation says nothing
  EXPECT_EQ(after(320, "$train.py:7 step"), waited);
  EXPECT_EQ(after(600, nullptr), (Map{{"copies", 75}, {"dispatch", 595}, {"launch", 10}}));  // much later
  EXPECT_EQ(after(320, "$time sleep"), (Map{{"copies", 75}, {"dispatch", 315}, {"launch", 10}}));
  EXPECT_EQ(after(320, "load_batch"), (Map{{"copies", 75}, {"input", 315}, {"launch", 10}}));
}

TEST(Path, AThreadThatStoodStillUntilInputWasThereWaitedForIt) {
  GpuRun run = StarvedLoop();
  const RunView view = run.View();
  const Map classes = Classes(Paths(view).paths[1]);
  EXPECT_EQ(classes.at("input"), 9'000);
  EXPECT_EQ(classes.at("copies"), 600);
  EXPECT_LE(classes.at("dispatch"), 400);
}

TEST(Path, WorkThatHappenedToEndIsNotWaitedFor) {
  GpuRun run;
  run.Step(0, 0, 2000).Host("python", 0, 5, "launch", 1).Work(0, 14, 5, 20, "Memcpy", 1);
  // Another thread's, while the host is at something for 300 us: the device is idle for most of it.
  run.Host("loader", 270, 5, "launch", 3).Work(0, 15, 280, 20, "Memcpy", 3);
  run.Host("python", 320, 5, "launch", 2).Work(0, 14, 325, 75, "Memcpy", 2);
  EXPECT_EQ(Classes(run), (Map{{"copies", 75}, {"dispatch", 315}, {"launch", 10}}));
}

TEST(Path, ACallbackIsTheHostsTimeOnACpuToo) {
  for (const PlaneKind kind : {PlaneKind::kCpuDevice, PlaneKind::kTpu}) {
    ProgramMaker maker("jit_f");
    const InstructionIndex dot = maker.Add("dot.1", "dot");
    const InstructionIndex callback = maker.Add("pure_callback.1", "custom-call");
    maker.SetTarget(callback, "xla_ffi_python_cpu_callback");
    TestCapture capture;
    capture.kind = kind;
    capture.programs.push_back(maker.Finish());
    capture.events = {{10, 40, "dot.1", 0, dot, 1},
                      {40, 140, "pure_callback.1", 0, callback, 1},
                      {140, 150, "dot.1", 0, dot, 1}};
    capture.calls = {{0, 200, "train", -1, 0}, {5, 8, "launch", 1}};
    const TestView test(std::move(capture));
    const StepPath path = Paths(test.view).paths.at(0);
    const Ps called_back = kind == PlaneKind::kCpuDevice ? Ps(100) : Ps();
    EXPECT_EQ(path.by[Index(PathClass::kHost)], Ps(5) + called_back);
    EXPECT_EQ(path.by[Index(PathClass::kCompute)], Ps(140) - called_back);
    EXPECT_EQ(path.device_work.compute, Ps(140) - called_back);
    EXPECT_EQ(path.Without({PathClass::kHost}), Ps(145) - called_back);
  }
}

TEST(Path, AWorkerThreadGotItsTaskFromPython) {
  GpuRun run;
  run.Step(0, 0, 900).Host("python", 0, 300, "load_batch").Host("worker", 350, 200, "H2D Dispatch");
  // The worker rests for 30 us within its task.
  run.Host("worker", 580, 10, "MemcpyH2D", 1).Work(0, 15, 590, 100, "MemcpyH2D", 1);
  EXPECT_EQ(Classes(run), (Map{{"copies", 100}, {"launch", 10}, {"input", 500}, {"dispatch", 80}}));
}

TEST(Path, ACollectiveWaitsForTheDeviceThatBeginsItLast) {
  GpuRun run;
  for (int64_t id : {0, 1, 10, 11}) run.Host("python", static_cast<double>(id) / 10, 0.05, "launch", id);
  run.Work(0, 14, 10, 10, "Memcpy", 0).Work(0, 15, 20, 90, "ncclAllReduce", 1);
  run.Work(1, 14, 10, 70, "Memcpy", 10).Work(1, 15, 80, 30, "ncclAllReduce", 11);
  run.Step(0, 0, 200);
  const RunView view = run.View();
  const HostPath paths = Paths(view);
  ASSERT_EQ(paths.paths.size(), 2U);
  for (const StepPath& path : paths.paths) {
    EXPECT_DOUBLE_EQ(Classes(path)["communication"], 30) << path.device;
    EXPECT_DOUBLE_EQ(Classes(path)["copies"], 70) << path.device;
  }
}

TEST(Path, WithoutCallsShortGapsAreBetweenKernelsAndLongOnesUnknown) {
  GpuRun run;
  run.Work(0, 14, 0, 10, "Memcpy").Work(0, 14, 20, 10, "Memcpy").Work(0, 14, 100, 10, "Memcpy");
  EXPECT_EQ(Classes(run), (Map{{"copies", 30}, {"kernel_gap", 10}, {"unknown", 70}}));
}

TEST(Path, OverlapZeroLengthAndEqualBegins) {
  GpuRun run;
  run.Step(0, 0, 100).Host("python", 0, 1, "launch", 1);
  run.Work(0, 14, 1, 30, "Memcpy1", 1).Work(0, 14, 20, 30, "Memcpy2", 1).Work(0, 14, 20, 10, "Memcpy3", 1);
  run.Work(0, 14, 50, 0, "zero", 1).Work(0, 15, 20, 25, "Memcpy4", 1).Work(0, 14, 50, 50, "Memcpy5", 1);
  EXPECT_EQ(Classes(run), (Map{{"copies", 99}, {"launch", 1}}));
}

// Any trace: the path is as long as the step, and its parts tile it.
TEST(Path, PartsTileTheStep) {
  std::mt19937 random(11);
  const auto any = [&](int most) { return static_cast<double>(random() % static_cast<unsigned>(most)); };
  for (int round = 0; round < 200; ++round) {
    GpuRun run;
    const std::vector<std::string> names = {"PjitFunction(f)", "data",       "$a.py:1 f", "block_until_ready",
                                            "H2D Dispatch",    "Rendezvous", "compile"};
    for (int64_t i = 0; i < 20; ++i) {
      const std::string thread = random() % 2 == 0 ? "python" : "worker";
      run.Host(thread, any(2000), any(200), names[random() % names.size()]);
      if (random() % 4 != 0) run.Host(thread, any(2000), any(100), "launch", i);
      run.Work(static_cast<int64_t>(random() % 2), static_cast<int64_t>(random() % 2), any(2000), any(100),
               random() % 5 == 0 ? "ncclDevKernel" : "k", static_cast<int64_t>(random() % 24));
    }
    for (int64_t step = 0; step < 4; ++step)
      run.Step(step, static_cast<double>(step) * 400 + any(100), any(500));
    const RunView view = run.View();
    const HostActivity activity(view.hosts[0].trace());
    const PathFinder finder(view.hosts[0], activity);
    for (const StepPath& path : FindPaths(view.hosts[0], activity).paths) {
      Ps sum;
      for (const Ps part : path.by) sum += part;
      EXPECT_EQ(sum, path.time.length()) << round;
      Ps at = path.time.end;
      std::vector<PathPart> parts;
      finder.Walk(path.device, path.time, 0, parts);
      for (const PathPart& part : parts) {
        EXPECT_EQ(part.time.end, at) << round;
        EXPECT_LT(part.time.begin, part.time.end) << round;
        at = part.time.begin;
      }
      EXPECT_EQ(at, path.time.begin) << round;
    }
  }
}

// A small machine: one host thread that works, launches and sometimes waits; three streams, one per class of
// work; work may wait for earlier work of other streams. What it takes when a class costs nothing is
// simulated, and must not be less than the bound read off the trace.
class Machine {
 public:
  struct Task {
    double host, input, launch, work;
    int64_t stream;  // 0: unknown work, 1: communication, 2: copies
    int64_t after;   // a task whose work must end before; -1: none
    bool wait;       // the host waits for this task's work before it goes on
  };
  struct Free {
    bool input = false, launch = false, host = false, copies = false, communication = false;
  };

  explicit Machine(std::mt19937& random) {
    const auto any = [&](double most) {
      return std::round(most * static_cast<double>(random() % 1'000'003)) / 1e6;
    };
    for (int64_t i = 0; i < 30; ++i) {
      tasks_.push_back(
          {any(40), random() % 4 == 0 ? any(300) : 0, 1 + any(10), any(120),
           static_cast<int64_t>(random() % 3),
           i > 0 && random() % 3 == 0 ? static_cast<int64_t>(random() % static_cast<uint64_t>(i)) : -1,
           random() % 6 == 0});
    }
  }

  // When the last work ends.
  double Run(const Free& free, GpuRun* trace) const {
    double now = 0;
    std::vector<double> ends;
    std::array<double, 3> stream_end{};
    constexpr std::array<const char*, 3> kNames = {"kernel", "ncclAllReduce", "Memcpy"};
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const Task& task = tasks_[i];
      const auto stream = static_cast<size_t>(task.stream);
      const auto spend = [&](double time, const char* name, int64_t id) {
        if (trace != nullptr) trace->Host("python", now, time, name, id);
        now += time;
      };
      if (task.input > 0) spend(free.input ? 0 : task.input, "data_loading", -1);
      spend(free.host ? 0 : task.host, "PjitFunction(f)", -1);
      spend(free.launch ? 0 : task.launch, "launch", static_cast<int64_t>(i));
      double begin = std::max(now, stream_end[stream]);
      if (task.after >= 0) begin = std::max(begin, ends[static_cast<size_t>(task.after)]);
      const bool is_free = (stream == 1 && free.communication) || (stream == 2 && free.copies);
      const double work = is_free ? 0 : task.work;
      if (trace != nullptr) trace->Work(0, task.stream, begin, work, kNames[stream], static_cast<int64_t>(i));
      ends.push_back(begin + work);
      stream_end[stream] = ends.back();
      if (task.wait && ends.back() > now) spend(ends.back() - now, "block_until_ready", -1);
    }
    return *std::ranges::max_element(ends);
  }

 private:
  std::vector<Task> tasks_;
};

TEST(PathBounds, AreLowerBoundsOfWhatTheMachineDoes) {
  std::mt19937 random(3);
  double tightest = 1e9;
  for (int round = 0; round < 300; ++round) {
    const Machine machine(random);
    GpuRun run;
    const double step = machine.Run({}, &run);
    run.Step(0, 0, step + 1);
    const RunView view = run.View();
    const StepPath path = Paths(view).paths.at(0);
    ASSERT_NEAR(static_cast<double>(path.time.length().value()) / 1e6, step, 1e-3);
    const auto check = [&](std::initializer_list<PathClass> classes, const Machine::Free& free,
                           const char* what) {
      const double bound = static_cast<double>(path.Without(classes).value()) / 1e6;
      const double truth = machine.Run(free, nullptr);
      EXPECT_LE(bound, truth + 1e-3) << what << " in round " << round;
      tightest = std::min(tightest, truth - bound);
    };
    check({PathClass::kInput}, {.input = true}, "input");
    check({PathClass::kLaunch}, {.launch = true}, "launch");
    check({PathClass::kHost}, {.host = true}, "host");
    check({PathClass::kCopies}, {.copies = true}, "copies");
    check({PathClass::kCommunication}, {.communication = true}, "communication");
    check({PathClass::kInput, PathClass::kLaunch, PathClass::kHost, PathClass::kHostSync},
          {.input = true, .launch = true, .host = true}, "the whole host");
    EXPECT_LE(static_cast<double>(path.device_work.PerfectOverlap().value()) / 1e6,
              machine.Run({.input = true, .launch = true, .host = true}, nullptr) + 1e-3);
  }
  EXPECT_LT(tightest, 1);  // and they are not idle bounds: some are met
}

// Two devices that one thread serves in turn: a copy each, then a collective that ends for both together.
class TwoDevices {
 public:
  explicit TwoDevices(std::mt19937& random) {
    for (Round& round : rounds_) {
      for (double* time : {&round.copy[0], &round.copy[1], &round.transfer})
        *time = static_cast<double>(random() % 100);
      // The host is slower than the devices: the first waits for the second to be launched.
      for (double& time : round.host) time = static_cast<double>(random() % 500);
    }
  }
  // When both have ended.
  double Run(bool free_host, GpuRun* trace) const {
    double now = 0;
    double end = 0;
    int64_t id = 0;
    const auto spend = [&](double time, const char* name, int64_t call) {
      if (trace != nullptr) trace->Host("python", now, time, name, call);
      now += free_host ? 0 : time;
    };
    for (const Round& round : rounds_) {
      std::array<double, 2> joined{};
      for (size_t d = 0; d < 2; ++d) {
        spend(round.host[d], "PjitFunction(f)", -1);
        spend(1, "launch", id);
        const double begin = std::max(now, end);
        joined[d] = begin + round.copy[d];
        if (trace != nullptr) trace->Work(static_cast<int64_t>(d), 14, begin, round.copy[d], "Memcpy", id);
        ++id;
      }
      end = std::max(joined[0], joined[1]) + round.transfer;
      for (size_t d = 0; d < 2 && trace != nullptr; ++d)
        trace->Work(static_cast<int64_t>(d), 14, joined[d], end - joined[d], "ncclAllReduce");
    }
    return end;
  }

 private:
  struct Round {
    std::array<double, 2> host, copy;
    double transfer;
  };
  std::array<Round, 10> rounds_{};
};

TEST(PathBounds, WaitingForAnotherDeviceIsNoWork) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const TwoDevices machine(random);
    GpuRun run;
    run.Step(0, 0, machine.Run(false, &run) + 1);
    const RunView view = run.View();
    const double truth = machine.Run(true, nullptr);
    for (const StepPath& path : Paths(view).paths) {
      const Ps bound = path.Without({PathClass::kLaunch, PathClass::kHost});
      EXPECT_LE(static_cast<double>(bound.value()) / 1e6, truth + 1e-3) << round;
      EXPECT_LE(path.device_work.PerfectOverlap(), bound) << round;
      EXPECT_GT(path.device_work.communication, Ps()) << round;
    }
  }
}

TEST(PathBounds, DevicesThatMeetTakeAsLongAsTheSlowest) {
  for (const char* name : {"ncclAllReduce", "gemm"}) {
    GpuRun run;
    for (int i = 0; i < 4; ++i) {
      const double t = 1000 * i;
      run.Step(i, t, 990);
      for (int64_t d = 0; d < 2; ++d) {
        const double copy = d == 0 ? 100 : 700;
        run.Host("python", t + 1 + static_cast<double>(2 * d), 1, "launch", 2 * i + d);
        run.Work(d, 1, t + 10, copy, "Memcpy", 2 * i + d).Work(d, 1, t + 10 + copy, 900 - copy, name);
      }
    }
    const report::Document document = PathDocument(run.View());
    const auto bounds = std::ranges::find(document.tables, "path_bounds", &report::Table::name);
    const bool meet = name == std::string("ncclAllReduce");
    // Each for itself: 800 us of compute on one device, 700 of copies on the other.
    EXPECT_EQ(bounds->rows.back()[2].integer(), (meet ? 700'000'000 : 750'000'000)) << name;
  }
}

TEST(PathDocument, EveryColumnSaysWhatItMeans) {
  GpuRun empty;
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Work(0, 14, 1, 9, "a", 0).Work(0, 14, 50, 9, "b");
  for (GpuRun* of : {&run, &empty}) {
    const RunView view = of->View();
    const report::Document document = PathDocument(view);
    EXPECT_FALSE(document.answer.empty());
    for (const report::Table& table : document.tables) {
      for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
      for (const report::Row& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
    }
  }
}

}  // namespace
}  // namespace gait::analyze
