#include "gait/analyze/host/activity.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(HostActivities, RuntimeNames) {
  for (const char* name :
       {"PjRtCApiLoadedExecutable::Execute", "PJRT_Client_Compile", "PjitFunction(train_step)",
        "cuLaunchKernel", "hipModuleLaunchKernel", "[0] GpuExecutable::ExecuteThunks",
        "jit_step:XLA GPU module", "shard_args", "np.asarray(jax.Array)", "ThunkExecutor::Execute",
        "XLA::TPU backend", "Wait for donation holds"}) {
    EXPECT_TRUE(IsRuntimeName(name)) << name;
  }
  for (const char* name : {"data_loading", "to_device", "cut_batch", "hipster", "culling", "train",
                           "load_batch", "custom", "Forward"}) {
    EXPECT_FALSE(IsRuntimeName(name)) << name;
  }
  EXPECT_TRUE(IsPythonFrame("$train.py:78 step"));
  EXPECT_TRUE(IsRuntimeThread("pjrt_async_work_runner/123"));
  EXPECT_FALSE(IsRuntimeThread("python3"));
}

TEST(HostActivities, CommonNames) {
  EXPECT_EQ(CommonName("ComputeSemaphoreAcquire [capacity=32, value=31]"), "ComputeSemaphoreAcquire");
  EXPECT_EQ(CommonName("Wait: pending_threads=2/8"), "Wait");
  EXPECT_EQ(CommonName("[0] GpuExecutable::ExecuteThunks"), "[0] GpuExecutable::ExecuteThunks");
  EXPECT_EQ(CommonName("data_loading"), "data_loading");
  EXPECT_EQ(CommonName(""), "");
}

TEST(HostActivities, PartsOfAnnotations) {
  const auto part = [](std::string_view name) { return Name(PartOf(ActivityKind::kAnnotation, name)); };
  EXPECT_EQ(part("data_loading"), "fetch");
  EXPECT_EQ(part("load_batch"), "fetch");
  EXPECT_EQ(part("nextBatch"), "fetch");
  EXPECT_EQ(part("wait_for_data"), "fetch");
  EXPECT_EQ(part("to_device"), "to_device");
  EXPECT_EQ(part("data_transfer"), "to_device");
  EXPECT_EQ(part("device put"), "to_device");
  EXPECT_EQ(part("block_until_ready"), "wait");
  EXPECT_EQ(part("sync"), "wait");
  EXPECT_EQ(part("train_on_batch"), "rest");
  EXPECT_EQ(part("checkpoint"), "rest");
  EXPECT_EQ(part("update"), "rest");  // not "date"
}

TEST(HostActivities, PartsOfPythonFunctions) {
  const auto part = [](std::string_view name) { return Name(PartOf(ActivityKind::kPython, name)); };
  EXPECT_EQ(part("$dataset.py:30 __next__"), "fetch");
  EXPECT_EQ(part("$builtins next"), "fetch");
  EXPECT_EQ(part("$data.py:9 step"), "rest");       // the file's name says nothing
  EXPECT_EQ(part("$batching.py:9 batch"), "rest");  // vmap
  EXPECT_EQ(part("$api.py:2307 device_put"), "to_device");
  EXPECT_EQ(part("$api.py:2757 block_until_ready"), "wait");
  EXPECT_EQ(part("$compiler.py:1 backend_compile"), "compile");
  EXPECT_EQ(part("$gc collect"), "collect");
  EXPECT_EQ(part("$lonely"), "rest");
}

TEST(HostActivities, PartsOfRuntimeCalls) {
  const auto part = [](std::string_view name) { return Name(PartOf(ActivityKind::kRuntime, name)); };
  EXPECT_EQ(part("PjitFunction(load_data)"), "dispatch");  // what is called says nothing
  EXPECT_EQ(part("PjRtCApiLoadedExecutable::Execute"), "dispatch");
  EXPECT_EQ(part("cuLaunchKernel"), "dispatch");
  EXPECT_EQ(part("PjRtCApiCompiler::BufferFromHostBuffer(s32[16,513])"), "to_device");
  EXPECT_EQ(part("H2D Dispatch"), "to_device");
  EXPECT_EQ(part("DevicePutWithSharding"), "to_device");
  EXPECT_EQ(part("PjRtCApiClient::CompileAndLoad(jit_f)"), "compile");
  EXPECT_EQ(part("np.asarray(jax.Array)"), "wait");
  EXPECT_EQ(part("cuStreamSynchronize"), "wait");
  EXPECT_EQ(part("hipEventSynchronize"), "wait");
  EXPECT_EQ(part("ComputeSemaphoreAcquire"), "wait");
  EXPECT_EQ(part("ParseArguments"), "rest");
}

}  // namespace
}  // namespace gait::analyze
