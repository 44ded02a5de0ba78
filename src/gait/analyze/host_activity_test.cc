#include "gait/analyze/host_activity.h"

#include <gtest/gtest.h>

#include "gait/analyze/test_gpu.h"

namespace gait::analyze {
namespace {

TEST(WorkOfName, InputPipelinesOfManyNames) {
  for (const char* name :
       {"data_loading", "load_batch", "next_batch", "get batch", "Prefetch", "fetch", "input_pipeline",
        "DataLoader.__next__", "dataset", "Iterator::Root::Map", "InfeedEnqueue", "batch", "host_input",
        "$dataloader.py:12 __next__", "$pipeline.py:3 next_batch", "tokenize", "loadBatch"}) {
    EXPECT_EQ(WorkOfName(name), HostWork::kInput) << name;
  }
}

TEST(WorkOfName, NotEveryNameWithAnInputWordIsInput) {
  for (const char* name :
       {"train", "train_batch", "load_checkpoint", "data_parallel_step", "input_reduce_fusion", "update_data",
        "$contextlib.py:132 __enter__", "$builtins next", "batch_step", "database", "reload"}) {
    EXPECT_EQ(WorkOfName(name), HostWork::kNone) << name;
  }
  EXPECT_EQ(WorkOfName("Handle input event recording"), HostWork::kDispatch);
}

TEST(WorkOfName, TheRuntimesOwnNames) {
  const std::vector<std::pair<const char*, HostWork>> names = {
      {"H2D Dispatch", HostWork::kStaging},
      {"to_device", HostWork::kStaging},
      {"Transpose::Execute", HostWork::kStaging},
      {"PjRtCApiCompiler::BufferFromHostBuffer(s32[16,513])", HostWork::kStaging},
      {"$api.py:2307 device_put", HostWork::kStaging},
      {"np.asarray(jax.Array)", HostWork::kSync},
      {"$array.py:629 _value", HostWork::kSync},
      {"$api.py:3000 block_until_ready", HostWork::kSync},
      {"$array.py:300 item", HostWork::kSync},
      {"$cart.py:300 item", HostWork::kNone},
      {"CommonPjRtBuffer::Await", HostWork::kSync},
      {"cuStreamSynchronize", HostWork::kSync},
      {"hipDeviceSynchronize", HostWork::kSync},
      {"backend_compile_and_load", HostWork::kCompile},
      {"PjRtCApiClient::CompileAndLoad(jit_f)", HostWork::kCompile},
      {"$compiler.py:30 backend_compile_and_load", HostWork::kCompile},
      {"trace_to_jaxpr_dynamic", HostWork::kCompile},
      {"cuMemAlloc_v2", HostWork::kAllocator},
      {"Build buffer allocations", HostWork::kAllocator},
      {"Rendezvous", HostWork::kPeer},
      {"PjitFunction(f)", HostWork::kDispatch},
      {"cuLaunchKernel", HostWork::kDispatch},
      {"", HostWork::kNone}};
  for (const auto& [name, work] : names) EXPECT_EQ(WorkOfName(name), work) << name;
}

TEST(HostActivity, TheStrongestAroundAnEventDecides) {
  GpuRun run;
  run.Step(0, 0, 100)
      .Host("python", 10, 30, "data_loading")
      .Host("python", 12, 20, "$time sleep")
      .Host("python", 50, 40, "PjitFunction(f)")
      .Host("python", 52, 30, "$pjit.py:4 cache_miss")
      .Host("python", 55, 10, "input_reduce")  // inside the runtime: a kernel, not an annotation
      .Host("python", 66, 10, "backend_compile_and_load")
      .Host("python", 68, 2, "cuMemAlloc_v2")
      .Host("worker", 5, 10, "data")  // no Python here: not the user's
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
  EXPECT_EQ(activity.kind(find("train")), HostKind::kAnnotation);
  EXPECT_EQ(activity.work(find("train")), HostWork::kNone);
  EXPECT_EQ(activity.kind(find("input_reduce")), HostKind::kRuntime);
  EXPECT_EQ(activity.work(find("input_reduce")), HostWork::kDispatch);
  EXPECT_EQ(activity.work(find("cuMemAlloc_v2")), HostWork::kCompile);
  EXPECT_EQ(activity.kind(find("data")), HostKind::kRuntime);
  EXPECT_NE(activity.work(find("data")), HostWork::kInput);
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
