#include "gait/analyze/host_activity.h"

#include <gtest/gtest.h>

#include "gait/analyze/test_gpu.h"

namespace gait::analyze {
namespace {

TEST(HostActivity, TheStrongestAroundAnEventDecides) {
  GpuRun run;
  run.Step(0, 0, 100)
      .Host("python", 10, 30, "data_loading")
      .Host("python", 12, 20, "$time sleep")
      .Host("python", 50, 40, "PjitFunction(f)")
      .Host("python", 52, 30, "$pjit.py:4 cache_miss")
      .Host("python", 55, 10, "input_reduce")  // inside the runtime: a kernel perhaps, and no input
      .Host("python", 66, 10, "backend_compile_and_load")
      .Host("python", 68, 2, "cuMemAlloc_v2")
      .Host("python", 80, 8, "$callback.py:3 load")
      .Host("python", 81, 5, "batch")  // called back from the runtime: the user's, and no input
      .Host("python", 92, 4, "$contextlib.py:132 __enter__")
      .Host("python", 93, 2, "$builtins next")
      .Host("worker", 5, 10, "data")  // no Python and a call of the runtime: not the user's
      .Host("worker", 20, 10, "cuLaunchKernel")
      .Host("loader", 5, 10, "load_batch")  // a thread of the user's without Python frames
      .Host("pjrt_async_work_runner/7", 5, 10, "next")
      .Host("compile_pool/1", 5, 10, "anything");
  const RunView view = run.View();
  const Trace& trace = view.hosts[0].trace();
  const HostActivity activity(trace);
  const auto find = [&](std::string_view name) {
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      for (size_t i = 0; i < trace.tracks()[t].size(); ++i) {
        if (trace.name({TrackId(t), EventIndex(i)}) == name) return EventRef{TrackId(t), EventIndex(i)};
      }
    }
    return EventRef();
  };
  EXPECT_EQ(activity.work(find("$time sleep")), HostWork::kInput);
  EXPECT_EQ(activity.kind(find("$time sleep")), HostKind::kPython);
  EXPECT_EQ(activity.kind(find("data_loading")), HostKind::kAnnotation);
  EXPECT_EQ(activity.kind(find("train")), HostKind::kStep);
  EXPECT_EQ(activity.work(find("train")), HostWork::kNone);
  EXPECT_EQ(activity.own_work(find("input_reduce")), HostWork::kNone);
  EXPECT_EQ(activity.work(find("input_reduce")), HostWork::kDispatch);
  EXPECT_EQ(activity.work(find("cuMemAlloc_v2")), HostWork::kCompile);
  EXPECT_EQ(activity.kind(find("data")), HostKind::kRuntime);
  EXPECT_NE(activity.work(find("data")), HostWork::kInput);
  EXPECT_EQ(activity.kind(find("load_batch")), HostKind::kAnnotation);
  EXPECT_EQ(activity.work(find("load_batch")), HostWork::kInput);
  EXPECT_EQ(activity.kind(find("next")), HostKind::kRuntime);
  EXPECT_EQ(activity.own_work(find("next")), HostWork::kDispatch);
  EXPECT_EQ(activity.kind(find("batch")), HostKind::kAnnotation);
  EXPECT_EQ(activity.work(find("batch")), HostWork::kCallback);
  EXPECT_EQ(activity.own_work(find("$builtins next")), HostWork::kNone);
  EXPECT_EQ(activity.own_work(find("$time sleep")), HostWork::kNone);
  EXPECT_EQ(activity.work(find("anything")), HostWork::kCompile);
  EXPECT_EQ(trace.text(trace.track(activity.python_thread()).info().name), "python");
}

TEST(ForEachHostPart, TilesTheIntervalWithWhatRunsInnermost) {
  GpuRun run;
  run.Host("python", 10, 20, "a")
      .Host("python", 12, 4, "b")
      .Host("python", 14, 0, "zero")
      .Host("python", 40, 5, "c");
  const RunView view = run.View();
  const Track& track = view.hosts[0].trace().tracks()[0];
  std::string parts;
  Ps reached = Microseconds(5);
  ForEachHostPart(track, {Microseconds(5), Microseconds(50)}, [&](Interval part, EventIndex event) {
    EXPECT_EQ(part.begin, reached);
    reached = part.end;
    parts += event.valid() ? view.hosts[0].trace().text(track.name(event)) : std::string_view("-");
  });
  EXPECT_EQ(reached, Microseconds(50));
  EXPECT_EQ(parts, "-abba-c-");
}

}  // namespace
}  // namespace gait::analyze
