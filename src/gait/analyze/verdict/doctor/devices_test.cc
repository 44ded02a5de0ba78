// Rules about several devices, the host's CPU and kernels: each must speak once and be silent close by.
#include "gait/analyze/question/overview/overview_report.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/device_balance.h"
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

struct Devices {
  int64_t late = 0;        // how many microseconds the second device begins its collectives later
  int64_t compute = 600;   // of the second device; the first has 600
  int64_t exchange = 100;  // of the collective once both are there
  bool extra = false;      // the second device executes one more operation
  bool trifle = false;     // that operation takes 1 us
  bool turns = false;      // in every other step the first device is the late one
  std::string model = "NVIDIA H200";
  int64_t bytes = 64 << 20;  // of the message
  PlaneKind kind = PlaneKind::kGpu;

  TestCapture Make() const {
    ProgramMaker maker("jit_f");
    const InstructionIndex x = maker.Add("x", "parameter");
    const ShapeId shape = maker.ShapeOf(ElementType::kF32);
    const_cast<Program&>(maker.program()).shapes[shape.value].dimensions = {bytes / 4};
    maker.at(x).shape = shape;
    const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
    const InstructionIndex more = maker.Add("sine.2", "sine", "jit(f)/sin");
    const InstructionIndex reduce = maker.Add("all-reduce.1", "all-reduce", "jit(f)/psum");
    maker.at(reduce).shape = shape;
    maker.at(reduce).operands = {x};
    maker.at(reduce).replica_groups = 0;
    Program program = maker.Finish();
    program.replica_groups.push_back({{{0, 1}}, 2});
    TestCapture capture;
    capture.model = model;
    capture.kind = kind;
    capture.devices = 2;
    capture.programs.push_back(std::move(program));
    const int64_t step = (std::max<int64_t>(600, compute + late) + exchange + 10) * kMicro;
    for (int64_t s = 0; s < 7; ++s) {  // six count
      const int64_t t = s * step;
      capture.calls.push_back({t, t + step / 2, "train", -1, s});
      capture.calls.push_back({t + 1, t + 2, "cuLaunchKernel", s});
      const int64_t together = t + 3 + std::max<int64_t>(600, compute + late) * kMicro;
      for (size_t d = 0; d < 2; ++d) {
        const size_t last = turns && s % 2 == 0 ? 0 : 1;
        const int64_t begin = t + 3 + (d == last ? late * kMicro : 0);
        const int64_t end = begin + (d == 1 ? compute : 600) * kMicro;
        const int64_t rest = trifle ? kMicro : (end - begin) / 2;
        const int64_t middle = d == 1 && extra ? end - rest : end;
        capture.events.push_back({begin, middle, "kernel", 0, sine, s, AttributionKind::kByName, d});
        if (middle != end) {
          capture.events.push_back({middle, end, "kernel", 0, more, s, AttributionKind::kByName, d});
        }
        capture.events.push_back({end, together + exchange * kMicro, "ncclDevKernel_AllReduce", 0, reduce, s,
                                  AttributionKind::kByName, d});
      }
    }
    return capture;
  }
};

std::vector<Finding> Found(const Devices& devices, const std::string& rule) {
  const TestView view(devices.Make());
  return FindingsOf(view.view, rule);
}

TEST(ExposedCommunicationRule, SpeaksOfTimeThatNothingHides) {
  const auto found = Found({.exchange = 100}, "exposed_communication");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.1, 0.01);
  EXPECT_TRUE(Found({.exchange = 10}, "exposed_communication").empty());
}

TEST(ExposedCommunicationRule, ClaimsTheExchangeAndNotTheWaiting) {
  const TestView view(Devices{.late = 200}.Make());
  const Diagnosis diagnosis = DiagnosisOf(view.view, {.only = {"exposed_communication", "straggler"}});
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_NEAR(finding.cost->milliseconds(), 0.1, 0.01) << finding.rule;
    EXPECT_TRUE(finding.overlaps.empty()) << finding.rule;
    if (finding.rule == "straggler") continue;
    EXPECT_EQ(finding.evidence.back().text, "not in it: 100 µs a step of waiting, mostly for GPU 1");
  }
  // Nearly all of it is waiting.
  EXPECT_TRUE(Found({.late = 200, .exchange = 10}, "exposed_communication").empty());
}

TEST(OverviewAnswer, TellsWaitingForADeviceFromCommunication) {
  const auto answer = [](const Devices& devices) {
    const TestView view(devices.Make());
    return OverviewDocument(view.view)->answer;
  };
  EXPECT_NE(answer({.late = 400}).find("hides, 200 µs of it waiting for GPU 1."), std::string::npos);
  EXPECT_NE(answer({.late = 400, .turns = true}).find("for the device that comes last."), std::string::npos);
  EXPECT_NE(answer({.exchange = 200}).find("communication that nothing hides."), std::string::npos);
}

TEST(StragglerRule, SpeaksOfTheDeviceThatIsLate) {
  const auto found = Found({.late = 200}, "straggler");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("GPU 1"), std::string::npos);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.1, 0.02);  // mean over both: one waits 0.2, the other not
  EXPECT_TRUE(Found({.late = 2}, "straggler").empty());
}

TEST(StragglerRule, NamesNoDeviceWhereTheyAreLateByTurns) {
  const auto found = Found({.late = 200, .turns = true}, "straggler");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "Devices wait for each other");
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.1, 0.02);
  EXPECT_TRUE(Found({.late = 2, .turns = true}, "straggler").empty());
}

TEST(StragglerRule, LeavesToOthersWhatTheyExplain) {
  EXPECT_TRUE(Found({.compute = 800, .extra = true}, "straggler").empty());  // load_imbalance
  EXPECT_TRUE(Found({.compute = 800}, "straggler").empty());                 // slow_device
  // Late by more than its work explains.
  const TestView view(Devices{.late = 200, .compute = 800, .extra = true}.Make());
  const Diagnosis diagnosis = DiagnosisOf(view.view, {.only = {"load_imbalance", "straggler"}});
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_NEAR(finding.cost->milliseconds(), 0.1, 0.01) << finding.rule;
    EXPECT_TRUE(finding.overlaps.empty()) << finding.rule;
  }
}

TEST(SlowDeviceRule, SpeaksOfTheSameWorkThatTakesLonger) {
  const auto found = Found({.compute = 800}, "slow_device");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.2, 0.01);  // one waits 200 us, the other computes them longer
  EXPECT_TRUE(Found({.compute = 610}, "slow_device").empty());
  EXPECT_TRUE(Found({.compute = 800, .extra = true}, "slow_device").empty());
  EXPECT_EQ(Found({.compute = 800, .extra = true, .trifle = true}, "slow_device").size(), 1u);
}

TEST(SlowDeviceRule, DoesNotCompareDevicesThatShareCores) {
  EXPECT_TRUE(Found({.compute = 800, .kind = PlaneKind::kCpuDevice}, "slow_device").empty());
  EXPECT_EQ(Found({.compute = 800, .kind = PlaneKind::kCpuDevice}, "straggler").size(), 1u);
  // The only one of its host has the cores for itself.
  TestCapture alone = Devices{.kind = PlaneKind::kCpuDevice}.Make();
  alone.devices = 1;
  const TestView view(std::move(alone));
  const Result<Patient> patient = Examine(view.view);
  ASSERT_TRUE(patient);
  ASSERT_EQ(patient->overview.devices.size(), 1u);
  EXPECT_FALSE(SharesCores(patient->overview.devices[0]));
}

TEST(LoadImbalanceRule, SpeaksOfUnequalWork) {
  EXPECT_EQ(Found({.compute = 800, .extra = true}, "load_imbalance").size(), 1u);
  EXPECT_TRUE(Found({.compute = 800}, "load_imbalance").empty());
  EXPECT_TRUE(Found({.compute = 605, .extra = true}, "load_imbalance").empty());
}

TEST(LowBandwidthRule, SpeaksOfLargeMessagesBelowTheLinksRate) {
  // 64 MiB in 1 ms: 67 GB/s of 450.
  const auto found = Found({.exchange = 1000}, "low_bandwidth");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 1 - 67.1 / 450, 0.01);
  EXPECT_TRUE(Found({.exchange = 200}, "low_bandwidth").empty());
  EXPECT_TRUE(Found({.exchange = 1000, .bytes = 1 << 20}, "low_bandwidth").empty());
}

TEST(LowBandwidthRule, KnowsTheLinksOfOneMachineAndNoNetwork) {
  const auto speaks = [](const char* first, const char* second) {
    LoadedRun run;
    for (const char* name : {first, second}) {
      TestCapture capture = Devices{.exchange = 1000}.Make();
      capture.hostnames = {name};
      run.hosts.push_back({"host" + std::to_string(run.hosts.size()), "", MakeTrace(std::move(capture))});
    }
    return !FindingsOf(*RunView::Make(run, {}), "low_bandwidth").empty();
  };
  EXPECT_TRUE(speaks("vm", "vm"));  // a process for each device
  EXPECT_FALSE(speaks("vm", "other"));
  EXPECT_FALSE(speaks("", ""));
}

// A GPU that idles, with XLA:CPU at work meanwhile or not, whose result is copied to the GPU.
TEST(CpuFallbackRule, SpeaksWhenTheCpuComputesWhileTheDeviceIdles) {
  const auto run = [](bool while_idle) {
    TestTraceMaker maker;
    const auto stream = maker.Stream(maker.Gpu(0), 7);
    const auto host = maker.Host();
    const auto thread = maker.Thread(host, 1, "python3");
    const auto cpu = maker.Thread(host, 2, "tf_XLAPjRtCpuClient/7");
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t t = 1000 * i * kMicro;
      maker.Event(thread, t, t + 900 * kMicro, "train", {{"step_num", i}});
      maker.Event(thread, t + 20 * kMicro, t + 490 * kMicro, "BatchedCopyToDeviceWithSharding: dispatch");
      maker.Event(thread, t + 500 * kMicro, t + 505 * kMicro, "cuLaunchKernel", {{"correlation_id", i}});
      maker.Event(stream, t + 510 * kMicro, t + 990 * kMicro, "kernel", {{"correlation_id", i}});
      const int64_t at = t + (while_idle ? 10 : 520) * kMicro;
      maker.Event(cpu, at, at + 400 * kMicro, "dot", {{"hlo_op", std::string("dot")}, {"device_ordinal", 0}});
    }
    return maker.Finish();
  };
  const auto with = run(true);
  const auto without = run(false);
  const auto view = *RunView::Make(*with, {});
  const auto found = FindingsOf(view, "cpu_fallback");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.4, 0.001);
  EXPECT_TRUE(FindingsOf(view, "host_to_device").empty());  // the copy waited for the CPU
  EXPECT_TRUE(FindingsOf(*RunView::Make(*without, {}), "cpu_fallback").empty());
}

TEST(CpuFallbackRule, SaysThatAnAcceleratorDidNothing) {
  const auto found = [](bool gpu) {
    TestTraceMaker maker;
    if (gpu) maker.Gpu(0);
    const auto device =
        maker.Track(maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0), 1, "ops", TrackKind::kOps);
    maker.Event(device, 0, 400 * kMicro, "dot");
    const auto run = maker.Finish();
    return FindingsOf(*RunView::Make(*run, {}), "cpu_fallback");
  };
  const auto beside_gpu = found(true);
  ASSERT_EQ(beside_gpu.size(), 1u);
  EXPECT_EQ(beside_gpu[0].title, "All of it ran on the CPU: the GPU did nothing");
  EXPECT_FALSE(beside_gpu[0].cost);
  EXPECT_TRUE(found(false).empty());
}

// A large program launched kernel by kernel, by a host that is too slow or fast enough.
TEST(CudaGraphsRule, SpeaksOfALargeProgramWhoseLaunchesComeLate) {
  const auto found = [](int64_t duration, int64_t call = 5) {
    ProgramMaker maker("jit_f");
    std::vector<InstructionIndex> all;
    for (int i = 0; i < 30; ++i) all.push_back(maker.Add("sine." + std::to_string(i), "sine", "jit(f)/sin"));
    TestCapture capture;
    capture.programs.push_back(maker.Finish());
    int64_t correlation = 1;
    for (int64_t step = 0; step < 4; ++step) {
      const int64_t start = step * 3100 * kMicro;
      capture.calls.push_back({start, start + 3000 * kMicro, "train", -1, step});
      for (const InstructionIndex i : all) {
        const int64_t at = start + 100 * kMicro * static_cast<int64_t>(i.value);
        capture.calls.push_back({at + 10, at + call * kMicro, "cuLaunchKernel", correlation});
        capture.events.push_back(
            {at + 6 * kMicro, at + (6 + duration) * kMicro, "kernel", 0, i, correlation++});
      }
    }
    const TestView view(std::move(capture));
    return FindingsOf(view.view, "cuda_graphs").size() + 10 * FindingsOf(view.view, "launch_bound").size();
  };
  EXPECT_EQ(found(20), 1u);  // and launch_bound leaves it to this rule
  EXPECT_EQ(found(100), 0u);
  EXPECT_EQ(found(20, 1) % 10, 0u);  // launches take 1 % of the step: a graph would save no more
}

// 100 kernels a step that were launched in time, of 5 us, with gaps of `gap` us; their work needs 1 us at
// `bytes` 4.8e6.
std::vector<Finding> TinyKernels(int64_t gap, double bytes, int64_t count = 100) {
  ProgramMaker maker("jit_f");
  const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
  maker.SetCost(sine, 0, bytes);
  TestCapture capture;
  capture.programs.push_back(maker.Finish());
  int64_t correlation = 1;
  for (int64_t step = 0; step < 5; ++step) {
    const int64_t start = step * count * (5 + gap) * kMicro;
    capture.calls.push_back({start, start + 20 * kMicro, "train", -1, step});
    for (int64_t k = 0; k < count; ++k) {
      const int64_t at = start + ((5 + gap) * k + 100) * kMicro;
      const int64_t call = start + k * kMicro / 10;
      capture.calls.push_back({call + 1, call + 100, "cuLaunchKernel", correlation});
      capture.events.push_back({at, at + 5 * kMicro, "kernel", 0, sine, correlation++});
    }
  }
  const TestView view(std::move(capture));
  return FindingsOf(view.view, "tiny_kernels");
}

TEST(TinyKernelsRule, CostsTheGapsAndWhatKernelsRunAboveTheRoofline) {
  const auto both = TinyKernels(5, 4.8e6);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_NEAR(both[0].cost->milliseconds(), 0.9, 0.02);
  EXPECT_NE(both[0].cause.find("longer than their work needs"), std::string::npos) << both[0].cause;
  const auto dense = TinyKernels(0, 4.8e6);  // without gaps
  ASSERT_EQ(dense.size(), 1u);
  EXPECT_NEAR(dense[0].cost->milliseconds(), 0.4, 0.02);
  EXPECT_EQ(TinyKernels(0, 9.6e6).size(), 1u);     // they reach 40 %
  EXPECT_TRUE(TinyKernels(0, 14.4e6).empty());     // 60 %
  EXPECT_TRUE(TinyKernels(0, 4.8e6, 15).empty());  // few
}

// A kernel with much shared memory, or a grid of few blocks.
TEST(LowOccupancyRule, SpeaksOfKernelsThatLeaveTheDeviceEmpty) {
  const auto found = [](const std::string& details) {
    ProgramMaker program("jit_f");
    const InstructionIndex sine = program.Add("sine.1", "sine", "jit(f)/sin");
    program.SetCost(sine, 1e6, 1e7);
    TestTraceMaker maker;
    maker.builder().AddProgram(program.Finish());
    const auto stream = maker.Stream(maker.Gpu(0, {{"gpu_device_name", std::string("NVIDIA H200")},
                                                   {"compute_cap_major", 9},
                                                   {"compute_cap_minor", 0},
                                                   {"core_count", 132}}),
                                     7);
    for (int64_t i = 0; i < 4; ++i) {
      maker.Event(stream, 100 * i * kMicro, (100 * i + 90) * kMicro, "sine_kernel",
                  {{"hlo_op", std::string("sine.1")}, {"kernel_details", details}});
    }
    const auto run = maker.Finish({{"sine.1", {ProgramIndex(0), sine}}});
    return FindingsOf(*RunView::Make(*run, {}), "low_occupancy");
  };
  const auto narrow = found("regs:16 static_shared:200000 dynamic_shared:0 grid:4096,1,1 block:128,1,1");
  ASSERT_EQ(narrow.size(), 1u);
  EXPECT_NE(narrow[0].fix.find("XLA made these kernels"), std::string::npos);
  const auto small = found("regs:16 static_shared:0 dynamic_shared:0 grid:8,1,1 block:128,1,1");
  ASSERT_EQ(small.size(), 1u);
  EXPECT_NE(small[0].fix.find("more parallel work"), std::string::npos);
  EXPECT_EQ(small[0].evidence[0].text.find("occupancy"), std::string::npos);  // full where there are blocks
  EXPECT_TRUE(found("regs:16 static_shared:0 dynamic_shared:0 grid:4096,1,1 block:128,1,1").empty());
}

}  // namespace
}  // namespace gait::analyze
