#include "gait/analyze/vocabulary/host_names.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gait::analyze {
namespace {

TEST(HostNames, RuntimeNames) {
  for (const char* name :
       {"PjRtCApiLoadedExecutable::Execute", "PJRT_Client_Compile", "PjitFunction(train_step)",
        "cuLaunchKernel", "hipModuleLaunchKernel", "[0] GpuExecutable::ExecuteThunks",
        "jit_step:XLA GPU module", "shard_args", "np.asarray(jax.Array)", "ThunkExecutor::Execute",
        "XLA::TPU backend", "Wait for donation holds", "batched_copy_array_to_devices_with_sharding",
        "BatchedCopyToDeviceWithSharding create batch", "CompileCpuExecutable", "CompileGpuAsm"}) {
    EXPECT_EQ(KindOfName(name), HostKind::kRuntime) << name;
  }
  for (const char* name : {"data_loading", "to_device", "cut_batch", "hipster", "culling", "train",
                           "load_batch", "custom", "Forward", "lower_learning_rate"}) {
    EXPECT_EQ(KindOfName(name), HostKind::kAnnotation) << name;
  }
  EXPECT_EQ(KindOfName("$train.py:78 step"), HostKind::kPython);
  EXPECT_EQ(KindOfName("BUFFER_FLUSH"), HostKind::kProfiler);
  EXPECT_TRUE(IsRuntimeThread("pjrt_async_work_runner/123"));
  EXPECT_FALSE(IsRuntimeThread("python3"));
}

TEST(HostNames, GaitsOwnProgram) {
  EXPECT_TRUE(IsProfilersProgram("jit_gait_marker"));
  EXPECT_FALSE(IsProfilersProgram("jit_train_step"));
}

TEST(HostNames, GaitsOwnWait) {
  for (const char* name : {"gait's wait for launched work", "$_inflight.py:81 wait"}) {
    EXPECT_TRUE(IsWaitOfGait(name)) << name;
    EXPECT_EQ(WorkOfName(name), HostWork::kSync) << name;
  }
  EXPECT_FALSE(IsWaitOfGait("block_until_ready"));
}

TEST(HostNames, CommonNames) {
  EXPECT_EQ(CommonName("ComputeSemaphoreAcquire [capacity=32, value=31]"), "ComputeSemaphoreAcquire");
  EXPECT_EQ(CommonName("Wait: pending_threads=2/8"), "Wait");
  EXPECT_EQ(CommonName("[0] GpuExecutable::ExecuteThunks"), "[0] GpuExecutable::ExecuteThunks");
  EXPECT_EQ(CommonName("data_loading"), "data_loading");
  EXPECT_EQ(CommonName(""), "");
}

TEST(WorkOfName, InputPipelinesOfManyNames) {
  for (const char* name : {"data_loading",
                           "load_batch",
                           "next_batch",
                           "get batch",
                           "Prefetch",
                           "fetch",
                           "input_pipeline",
                           "DataLoader.__next__",
                           "dataset",
                           "wait_for_data",
                           "nextBatch",
                           "$builtins next",
                           "$dataset.py:30 __next__",
                           "Iterator::Root::Map",
                           "InfeedEnqueue",
                           "batch",
                           "host_input",
                           "$dataloader.py:12 __next__",
                           "$pipeline.py:3 next_batch",
                           "$queue.py:154 get",
                           "$queues.py:102 get",
                           "tokenize",
                           "load_train_data",
                           "eval_loader",
                           "loadBatch"}) {
    EXPECT_EQ(WorkOfName(name), HostWork::kInput) << name;
  }
}

TEST(WorkOfName, NotEveryNameWithAnInputWordIsInput) {
  for (const char* name :
       {"train", "train_batch", "load_checkpoint", "data_parallel_step", "input_reduce_fusion", "update_data",
        "$contextlib.py:132 __enter__", "$data.py:9 step", "$batching.py:9 batch", "$lonely",
        "train_on_batch", "checkpoint", "batch_step", "database", "reload", "load_eval_model",
        "train_step_loader", "evaluate_dataset"}) {
    EXPECT_EQ(WorkOfName(name), HostWork::kNone) << name;
  }
  EXPECT_EQ(WorkOfName("Handle input event recording"), HostWork::kDispatch);
}

TEST(WorkOfName, TheRuntimesOwnNames) {
  const std::vector<std::pair<const char*, HostWork>> names = {
      {"H2D Dispatch", HostWork::kStaging},
      {"to_device", HostWork::kStaging},
      {"device put", HostWork::kStaging},
      {"data_transfer", HostWork::kStaging},
      {"DevicePutWithSharding", HostWork::kStaging},
      {"sync", HostWork::kSync},
      {"wait for the device", HostWork::kSync},
      {"block_until_ready", HostWork::kSync},
      {"ComputeSemaphoreAcquire", HostWork::kSync},
      {"hipEventSynchronize", HostWork::kSync},
      {"Transpose::Execute", HostWork::kStaging},
      {"PjRtCApiCompiler::BufferFromHostBuffer(s32[16,513])", HostWork::kStaging},
      {"$api.py:2307 device_put", HostWork::kStaging},
      {"np.asarray(jax.Array)", HostWork::kSync},
      {"$array.py:629 _value", HostWork::kSync},
      {"$api.py:3000 block_until_ready", HostWork::kSync},
      {"$array.py:300 item", HostWork::kSync},
      {"$api.py:3165 try_to_block", HostWork::kSync},
      {"$blocks.py:3 try_to_block_ads", HostWork::kNone},
      {"xla_ffi_python_gpu_callback", HostWork::kCallback},
      {"$callback.py:212 _callback", HostWork::kCallback},
      {"ThenExecuteCallback:GetEvent", HostWork::kDispatch},
      {"callbacks", HostWork::kNone},
      {"$cart.py:300 item", HostWork::kNone},
      {"CommonPjRtBuffer::Await", HostWork::kSync},
      {"cuStreamSynchronize", HostWork::kSync},
      {"hipDeviceSynchronize", HostWork::kSync},
      {"backend_compile_and_load", HostWork::kCompile},
      {"PjRtCApiClient::CompileAndLoad(jit_f)", HostWork::kCompile},
      {"$compiler.py:30 backend_compile_and_load", HostWork::kCompile},
      {"trace_to_jaxpr_dynamic", HostWork::kCompile},
      {"CompileModuleToLlvmIr", HostWork::kCompile},
      {"CompileCpuExecutable", HostWork::kCompile},
      {"PJRT_Client_Compile", HostWork::kCompile},
      {"$pxla.py:1209 compile", HostWork::kCompile},
      {"$pxla.py:954 lower_sharding_computation", HostWork::kCompile},
      {"$mlir.py:2214 _cached_lowering_miss", HostWork::kCompile},
      {"$partial_eval.py:2268 trace_to_jaxpr", HostWork::kCompile},
      // What else is compiled: regular expressions, imported modules, one's own reports.
      {"$re.py:10 compile", HostWork::kNone},
      {"$__init__.py:225 compile", HostWork::kNone},
      {"$_compiler.py:740 compile", HostWork::kNone},
      {"$_sre compile", HostWork::kNone},
      {"$builtins compile", HostWork::kNone},
      {"$<frozen importlib._bootstrap_external>:727 _compile_bytecode", HostWork::kNone},
      {"$train.py:12 compile_report", HostWork::kNone},
      {"compile_metrics", HostWork::kNone},
      {"cuMemAlloc_v2", HostWork::kAllocator},
      {"Build buffer allocations", HostWork::kAllocator},
      {"Rendezvous", HostWork::kPeer},
      {"PjitFunction(f)", HostWork::kDispatch},
      {"PjitFunction(load_data)", HostWork::kDispatch},  // what is called says nothing
      {"PjitFunction(compile)", HostWork::kDispatch},
      {"PjRtCApiLoadedExecutable::Execute", HostWork::kDispatch},
      {"ParseArguments", HostWork::kDispatch},
      {"$gc collect", HostWork::kCollect},
      {"CollectGarbage", HostWork::kCollect},
      {"cuLaunchKernel", HostWork::kDispatch},
      {"", HostWork::kNone}};
  for (const auto& [name, work] : names) EXPECT_EQ(WorkOfName(name), work) << name;
}

}  // namespace
}  // namespace gait::analyze
