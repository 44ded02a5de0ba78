#include "gait/analyze/device/unfinished.h"

#include <gtest/gtest.h>

#include "gait/analyze/run/test_trace.h"

namespace gait::analyze {
namespace {

constexpr const char* kCall = "CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice";
constexpr const char* kEnd = "ThunkExecutor::Execute (wait for completion)";

// One CPU device and a thread that calls jit_step at each of the given times; a run per entry of `ends`,
// which says whether it wrote its end.
class CpuCapture {
 public:
  explicit CpuCapture(const std::string& version = "0.12.0") {
    maker_.builder().environment().versions["jax_version"] = version;
    host_ = maker_.Host();
    python_ = maker_.Thread(host_, 1, "python");
    pool_ = maker_.Thread(host_, 2, "tf_XLAPjRtCpuClient/1");
  }

  void Call(int64_t at, const std::string& function = "step") {
    maker_.Event(python_, at, at + 9, "PjitFunction(" + function + ")");
    maker_.Event(python_, at + 1, at + 8, kCall);
    maker_.Event(python_, at + 2, at + 3, "ThreadpoolListener::Record", {{"_pt", 15}, {"_p", at}});
  }
  void Wait(int64_t begin, int64_t end) {
    maker_.Event(maker_.Thread(host_, 3, "python"), begin, end, "gait's wait for launched work");
  }
  void Run(int64_t call, int64_t begin, int64_t end, bool ends) {
    maker_.Event(pool_, begin, begin, "ThreadpoolListener::StartRegion", {{"_ct", 15}, {"_c", call}});
    runs_.push_back({call, begin + 1, end});
    const TestTraceMaker::Args of_run = {{"run_id", call}, {"device_ordinal", 0}};
    maker_.Event(pool_, begin + 1, end, "dot",
                 {{"hlo_op", std::string("dot")},
                  {"hlo_module", std::string("jit_step")},
                  {"run_id", call},
                  {"device_ordinal", 0}});
    if (ends) maker_.Event(pool_, end, end + 1, kEnd, of_run);
    maker_.Event(pool_, end + 2, end + 2, "ThreadpoolListener::StopRegion");
  }
  std::map<std::string, uint64_t> Unfinished() {
    const PlaneId device = maker_.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
    const TestTraceMaker::Row ops = maker_.Track(device, 0, "XLA Ops", TrackKind::kOps, true);
    for (const Ran& run : runs_) {
      maker_.Event(ops, run.begin, run.end, "dot",
                   {{"hlo_op", std::string("dot")},
                    {"hlo_module", std::string("jit_step")},
                    {"run_id", run.id},
                    {"device_ordinal", 0}});
    }
    return FindUnfinished(maker_.Finish()->hosts[0].trace);
  }

 private:
  struct Ran {
    int64_t id, begin, end;
  };
  TestTraceMaker maker_;
  PlaneId host_;
  TestTraceMaker::Row python_{}, pool_{};
  std::vector<Ran> runs_;
};

using Counts = std::map<std::string, uint64_t>;

TEST(Unfinished, RunsThatEndedAreNone) {
  CpuCapture capture;
  capture.Call(10);
  capture.Call(30);
  capture.Run(10, 100, 200, true);
  capture.Run(30, 300, 400, true);
  EXPECT_EQ(capture.Unfinished(), Counts());
}

TEST(Unfinished, CallsWithoutARunAndRunsWithoutAnEndAreCounted) {
  CpuCapture capture;
  capture.Call(10);
  capture.Call(30);
  capture.Call(50);
  capture.Run(10, 100, 200, true);
  capture.Run(30, 300, 400, false);
  EXPECT_EQ(capture.Unfinished(), (Counts{{"jit_step", 2}}));
}

TEST(Unfinished, WhatIsLaunchedWhileGaitWaitsIsNoneOfTheCapture) {
  for (const bool waits : {false, true}) {
    CpuCapture capture;
    capture.Call(10);
    capture.Run(10, 12, 15, true);
    if (waits) capture.Wait(18, 30);
    capture.Call(20);
    EXPECT_EQ(capture.Unfinished().size(), waits ? 0u : 1u);
  }
}

TEST(Unfinished, NothingRanAtAll) {
  CpuCapture capture;
  capture.Call(10);
  capture.Call(30, "load");
  EXPECT_EQ(capture.Unfinished(), (Counts{{"jit_step", 1}, {"jit_load", 1}}));
}

// A program that hands on its arguments has no operation.
TEST(Unfinished, ACallThatALaterOneOvertookIsNone) {
  CpuCapture capture;
  capture.Call(10, "identity");
  capture.Call(30);
  capture.Run(30, 300, 400, true);
  EXPECT_EQ(capture.Unfinished(), Counts());
}

TEST(Unfinished, VersionsThatDoNotRecordEndsAreNotJudged) {
  CpuCapture capture("0.8.1");
  capture.Call(10);
  capture.Run(10, 100, 200, false);
  EXPECT_EQ(capture.Unfinished(), Counts());
}

class GpuCapture {
 public:
  GpuCapture() {
    stream_ = maker_.Stream(maker_.Gpu(0), 1);
    python_ = maker_.Thread(maker_.Host(), 1, "python");
  }
  // A call of jit_step that launches kernels of these correlation ids.
  void Call(int64_t at, const std::vector<int64_t>& launches, const std::string& name = "loop_fusion") {
    maker_.Event(python_, at, at + 50, "CommonPjRtLoadedExecutable::Execute (jit_step)", {{"run_id", at}});
    int64_t begin = at + 1;
    for (const int64_t id : launches) {
      maker_.Event(python_, begin, begin + 1, name, {{"correlation_id", id}});
      begin += 2;
    }
  }
  void Kernel(int64_t id, int64_t begin) {
    maker_.Event(stream_, begin, begin + 10, "loop_fusion", {{"correlation_id", id}});
  }
  Counts Unfinished() { return FindUnfinished(maker_.Finish()->hosts[0].trace); }

 private:
  TestTraceMaker maker_;
  TestTraceMaker::Row stream_{}, python_{};
};

TEST(Unfinished, AGpusLaunchesWithoutKernels) {
  GpuCapture capture;
  capture.Call(0, {1, 2});
  capture.Call(100, {3, 4});
  capture.Call(200, {5, 6});
  for (const int64_t id : {1, 2, 3}) capture.Kernel(id, 300 + 20 * id);
  EXPECT_EQ(capture.Unfinished(), (Counts{{"jit_step", 2}}));
}

TEST(Unfinished, CallsOfTheDriverThatRunNothingAreNoLaunches) {
  GpuCapture capture;
  capture.Call(0, {1});
  capture.Kernel(1, 300);
  capture.Call(400, {2}, "cuMemHostAlloc");
  capture.Call(500, {3}, "MemcpyH2D");
  EXPECT_EQ(capture.Unfinished(), Counts());
}

TEST(Unfinished, AProgramIsNamedOnceWithTheManifests) {
  CpuCapture capture;
  LoadedRun run;
  TestTraceMaker maker;
  maker.Host();
  run.hosts.push_back({"vm", "", std::move(maker.Finish()->hosts[0].trace)});
  run.manifest.launches_without_end = {{"jit_step", 3}};
  AddUnfinishedLosses(run);
  ASSERT_EQ(run.losses.size(), 1U);
  EXPECT_EQ(run.losses[0], (Loss{LossKind::kUnfinished, "jit_step", "no end", 3}));
  EXPECT_EQ(LossText(run.losses[0], "3"), "3 launches of jit_step have no end");
}

}  // namespace
}  // namespace gait::analyze
