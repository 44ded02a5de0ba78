#include "gait/analyze/host/host_activity.h"

#include <gtest/gtest.h>

#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/view/test_gpu.h"

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
      .Host("worker/-12", 5, 10, "data")  // no Python and a call of the runtime: not the user's
      .Host("worker/-12", 20, 10, "cuLaunchKernel")
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

TEST(HostActivity, AWaitThatIsWrittenAsItsTwoEndsLastsFromOneToTheOther) {
  constexpr const char* kAwait = "CommonPjRtBuffer::Await";
  GpuRun run;
  run.Step(0, 0, 200).Host("python", 10, 1, kAwait).With("_p", "7").Host("python", 50, 2, kAwait);
  run.With("_c", "7").Host("python", 60, 1, kAwait).With("_p", "8").Host("python", 70, 1, kAwait);
  run.With("_c", "9");  // of another wait
  run.Host("python", 80, 1, kAwait).With("_p", "10").Host("python", 82, 1, "PjitFunction(f)");
  run.Host("python", 90, 1, kAwait).With("_c", "10");  // it did something else meanwhile
  run.Host("python", 100, 1, "Other::Produce").With("_p", "11").Host("python", 110, 1, "Other::Produce");
  run.With("_c", "11");  // no wait
  const RunView view = run.View();
  const Trace& trace = view.hosts[0].trace();
  const HostActivity activity(trace);
  const TrackId thread = activity.python_thread();
  const Track& track = trace.track(thread);
  std::vector<double> lengths;
  for (size_t i = 1; i < track.size(); ++i) {
    const Interval time = activity.time(track, {thread, EventIndex(i)});
    lengths.push_back(static_cast<double>(time.length().value()) / 1e6);
    EXPECT_EQ(activity.ends_wait({thread, EventIndex(i)}), i == 2) << i;
  }
  EXPECT_EQ(lengths, (std::vector<double>{42, 2, 1, 1, 1, 1, 1, 1, 1}));
  std::string parts;
  ForEachHostPart(trace, thread, activity, {Microseconds(5), Microseconds(55)},
                  [&](Interval, EventIndex e) { parts += trace.text(track.name(e))[0]; });
  EXPECT_EQ(parts, "tCCt");
}

TEST(HostActivity, AThreadOfTheUsersThatHandsDataToTheDeviceIsNoPool) {
  TestTraceMaker maker;
  const PlaneId host = maker.Host();
  const auto main = maker.Thread(host, 1, "python");
  maker.Event(main, 0, 100, "train", {{"step_num", 0}});
  const auto loader = maker.Thread(host, 2, "python");
  maker.Event(loader, 0, 10, "load_batch");
  maker.Event(loader, 12, 20, "DevicePut");
  const auto named = maker.Thread(host, 3, "Thread-1 (load)");
  maker.Event(named, 0, 10, "load_batch");
  maker.Event(named, 12, 20, "DevicePut");
  const auto other = maker.Thread(host, 4, "worker/77");
  maker.Event(other, 0, 10, "load_batch");
  maker.Event(other, 12, 20, "DevicePut");
  const auto run = maker.Finish();
  const HostActivity activity(run->hosts[0].trace);
  EXPECT_EQ(activity.kind({TrackId(1), EventIndex(0)}), HostKind::kAnnotation);
  EXPECT_EQ(activity.work({TrackId(1), EventIndex(0)}), HostWork::kInput);
  EXPECT_EQ(activity.kind({TrackId(2), EventIndex(0)}), HostKind::kAnnotation);
  EXPECT_EQ(activity.work({TrackId(2), EventIndex(0)}), HostWork::kInput);
  EXPECT_EQ(activity.kind({TrackId(3), EventIndex(0)}), HostKind::kRuntime);
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
  const HostActivity activity(view.hosts[0].trace());
  const Interval whole{Microseconds(5), Microseconds(50)};
  ForEachHostPart(view.hosts[0].trace(), TrackId(0), activity, whole, [&](Interval part, EventIndex event) {
    EXPECT_EQ(part.begin, reached);
    reached = part.end;
    parts += event.valid() ? view.hosts[0].trace().text(track.name(event)) : std::string_view("-");
  });
  EXPECT_EQ(reached, Microseconds(50));
  EXPECT_EQ(parts, "-abba-c-");
}

}  // namespace
}  // namespace gait::analyze
