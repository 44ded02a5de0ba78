#include "gait/analyze/vocabulary/runtime_events.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gait::analyze {
namespace rows {

using enum Place;
using enum HostWork;
using enum RuntimeCall;

// "GPU 0.11": in captures of JAX 0.11 on GPUs. TPU: on a v6e of March 2025.
constexpr auto kEvents = std::to_array<RuntimeEvent>({
    // Input pipelines of TensorFlow, and feeds of the device.
    {"Iterator::", kBegin, kInput, kOther, "", ""},
    {"IteratorGetNext", kBegin, kInput, kOther, "", ""},
    {"InfeedEnqueue", kBegin, kInput, kOther, "", ""},
    {"TransferToInfeed", kBegin, kInput, kOther, "", ""},
    // Data of the host on their way to the device.
    {"H2D ", kBegin, kStaging, kOther, "GPU 0.11, TPU", "h200/gpt"},
    {"DevicePut", kBegin, kStaging, kOther, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8, TPU", "h200/gpt"},
    {"shard_args", kBegin, kStaging, kOther, "CPU 0.12, GPU 0.11, ROCm 0.8, TPU", "h200/gpt"},
    {"Transpose::Execute", kBegin, kStaging, kOther, "CPU 0.12, GPU 0.11, TPU", "h200/gpt"},
    {"TransferToDevice", kBegin, kStaging, kOther, "", ""},
    {"BatchedDevicePut", kBegin, kStaging, kOther, "", ""},
    {"TransferHostToDevice", kBegin, kStaging, kOther, "", ""},
    {"batched_device_put", kBegin, kStaging, kOther, "", ""},
    {"LinearizeInto", kBegin, kStaging, kOther, "", ""},
    {"BufferFromHost", kAnywhere, kStaging, kFromHost, "GPU 0.11, TPU", "h200/gpt"},
    {"LinearizeIntoImpl", kAnywhere, kStaging, kOther, "CPU 0.12, GPU 0.11", "h200/gpt"},
    {"LinearizeHostBufferInto", kAnywhere, kStaging, kOther, "", ""},
    {"CopyRawHostToDevice", kAnywhere, kStaging, kOther, "GPU 0.11", "h200/gpt"},
    // A pool that waits for its own tasks runs them (SlinkyThreadPool::Await).
    {"ThreadPool::", kAnywhere, kDispatch, kOther, "CPU 0.10 to 0.12", "cpu/same_names"},
    // Waits for a result.
    {"np.asarray(jax.Array)", kBegin, kSync, kOther, "CPU 0.10 to 0.12, GPU 0.11, TPU", "cpu/one_device"},
    {"D2H ", kBegin, kSync, kOther, "GPU 0.11, TPU", "h200/transfers"},
    {"From Staging Buffer", kAnywhere, kSync, kFromStaging, "GPU 0.11", "h200/transfers"},
    {"ComputeSemaphoreAcquire", kBegin, kSync, kQueuePlace, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    {"Acquire semaphore", kBegin, kSync, kQueuePlace, "TPU", ""},
    {"TransferFromDevice", kBegin, kSync, kOther, "", ""},
    {"gait's wait for ", kBegin, kSync, kOther, "", ""},  // at the end of a capture: _capture.py
    {"block_until_ready", kAnywhere, kSync, kOther, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    {"::Await", kAnywhere, kSync, kOther, "CPU 0.10 to 0.12", "cpu/one_device"},
    {"ToLiteral", kAnywhere, kSync, kOther, "GPU 0.11, TPU", "h200/transfers"},
    {"BlockHostUntil", kAnywhere, kSync, kOther, "", ""},
    {"CopyRawDeviceToHost", kAnywhere, kSync, kOther, "GPU 0.11", "h200/transfers"},
    // Memory of the device.
    {"cuMemAlloc", kBegin, kAllocator, kOther, "", ""},
    {"cuMemFree", kBegin, kAllocator, kOther, "GPU 0.11", "h200/recompile"},
    {"cuMemHostAlloc", kBegin, kAllocator, kOther, "GPU 0.11", "h200/recompile"},
    {"hipMalloc", kBegin, kAllocator, kOther, "", ""},
    {"hipFree", kBegin, kAllocator, kOther, "", ""},
    {"AllocateOutputBuffers", kBegin, kAllocator, kOther, "CPU 0.10 to 0.12, GPU 0.11", "h200/gpt"},
    {"Build buffer allocations", kBegin, kAllocator, kProgramBuffers, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    // Tracing, lowering, compiling. Other names of the runtimes with a word of compiling are found by the
    // word.
    {"backend_compile", kBegin, kCompile, kBackendCompile, "GPU 0.11, TPU", "h200/recompile"},
    // Passes of the compiler, also on threads of their own.
    {"HLO ", kBegin, kCompile, kOther, "GPU 0.11, TPU", "h200/recompile"},
    {"hlo-", kBegin, kCompile, kOther, "GPU 0.11, TPU", "h200/recompile"},
    {"hlo_", kBegin, kCompile, kOther, "GPU 0.11, TPU", "h200/recompile"},
    {"xla-", kBegin, kCompile, kOther, "TPU", ""},
    {"XLA::TPU ", kBegin, kCompile, kOther, "TPU", ""},
    {"LSRAv2 ", kBegin, kCompile, kOther, "TPU", ""},
    {"XLA::JF ", kBegin, kCompile, kOther, "TPU", ""},
    {"OptimizeHloModule", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    {"config-assigner", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    {"lower_sharding_computation", kBegin, kCompile, kOther, "GPU 0.11, TPU", "h200/recompile"},
    {"lower_jaxpr_to_", kBegin, kCompile, kOther, "", ""},
    {"trace_to_jaxpr", kBegin, kCompile, kOther, "TPU", ""},
    {"Compiling IR", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    {"CompileGpuAsm", kBegin, kCompile, kOther, "", ""},
    {"CompileModuleToLlvmIr", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    {"CompileSingleModule", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    {"CompileTargetBinary", kBegin, kCompile, kOther, "", ""},
    {"CompileToBackendResult", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    {"CompileExtraKernels", kBegin, kCompile, kOther, "", ""},
    {"CompileCpuExecutable", kBegin, kCompile, kOther, "", ""},
    {"LoadAutotuneResults", kBegin, kCompile, kOther, "GPU 0.11", "h200/recompile"},
    // Calls of jitted functions and programs.
    {"PjitFunction(", kBegin, kDispatch, kJitted, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8, TPU", "h200/gpt"},
    {"PmapFunction(", kBegin, kDispatch, kJitted, "", ""},
    {"::ExecuteHelperOnSingleDevice", kEnd, kDispatch, kExecuteOnDevice, "CPU 0.10 to 0.12, GPU 0.11, TPU",
     "h200/gpt"},
    {"Executable::Execute", kAnywhere, kDispatch, kExecute, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8, TPU",
     "h200/gpt"},
    {":XLA GPU module", kEnd, kDispatch, kExecute, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    {"tpu::System::Execute", kBegin, kDispatch, kExecuteOnTpu, "TPU", ""},
    {"PJRT_LoadedExecutable_Execute", kBegin, kDispatch, kOther, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    {"ExecuteReplicated", kBegin, kDispatch, kOther, "GPU 0.11, TPU", "h200/recompile"},
    {"ParseArguments", kBegin, kDispatch, kOther, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8, TPU", "h200/gpt"},
    {"ThunkExecutor::Execute (wait for completion)", kBegin, kDispatch, kRunDone, "CPU 0.10 to 0.12",
     "cpu/one_device"},
    {"ThunkExecutor::Execute", kBegin, kDispatch, kOther, "CPU 0.10 to 0.12", "cpu/one_device"},
    {"Thunks::Prepare", kBegin, kDispatch, kOther, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    {"Thunks::Initialize", kBegin, kDispatch, kOther, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    {"command_buffer::update", kBegin, kDispatch, kOther, "GPU 0.11", "h200/gpt"},
    {"command_buffer::execute", kBegin, kDispatch, kOther, "GPU 0.11", "h200/gpt"},
    {"cuGraphLaunch", kBegin, kDispatch, kGraphLaunch, "GPU 0.11", "h200/gpt"},
    {"hipGraphLaunch", kBegin, kDispatch, kGraphLaunch, "", ""},
    {"command_buffer_", kBegin, kDispatch, kOther, "GPU 0.11", "h200/starved"},
    {"Resolve constant globals", kBegin, kDispatch, kOther, "GPU 0.11, ROCm 0.8", "h200/starved"},
    {"DoEnqueueProgram", kBegin, kDispatch, kOther, "TPU", ""},
    {"EnqueueContinuationProgram", kBegin, kDispatch, kOther, "TPU", ""},
    {"LoadProgram", kBegin, kDispatch, kOther, "TPU", ""},
    {"CopyProgramsToSharedMemory", kBegin, kDispatch, kOther, "TPU", ""},
    {"CompleteCallbacks", kBegin, kDispatch, kOther, "TPU", ""},
    {"Release semaphore", kBegin, kDispatch, kOther, "TPU", ""},
    {"[iter=", kBegin, kDispatch, kOther, "GPU 0.11", "graphs/scan"},
    // Tasks of thread pools.
    {"ThreadpoolListener::Record", kBegin, kDispatch, kTaskGiven, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8",
     "cpu/one_device"},
    {"ThreadpoolListener::StartRegion", kBegin, kDispatch, kTaskBegins,
     "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8", "cpu/one_device"},
    {"ThreadpoolListener::StopRegion", kBegin, kDispatch, kTaskEnds, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8",
     "cpu/one_device"},
    {"ThenExecuteCallback", kBegin, kDispatch, kOther, "GPU 0.11, ROCm 0.8", "h200/gpt"},
    // Arrays, buffers and copies.
    {"::TransferToDevice", kEnd, kDispatch, kToDevice, "TPU", ""},
    {"::TransferFromDevice", kEnd, kDispatch, kFromDevice, "TPU", ""},
    {"create redzone buffers", kBegin, kDispatch, kRedzones, "GPU 0.11", "h200/recompile"},
    {"MemoryAllocation", kBegin, kDispatch, kAllocation, "GPU 0.11, ROCm 0.8, TPU", "h200/gpt"},
    {"MemoryDeallocation", kBegin, kDispatch, kDeallocation, "GPU 0.11, ROCm 0.8, TPU", "h200/gpt"},
    {"Memcpy", kBegin, kDispatch, kOther, "GPU 0.11", "h200/gpt"},
    {"Memset", kBegin, kDispatch, kOther, "GPU 0.11", "h200/recompile"},
    {"ArrayImpl.", kBegin, kDispatch, kOther, "TPU", ""},
    {"batched_copy_array_to_devices", kBegin, kDispatch, kOther, "GPU 0.11", "h200/recompile"},
    {"BatchedCopyToDeviceWithSharding", kBegin, kDispatch, kOther, "GPU 0.11", "h200/recompile"},
    {"BufferSequencingEvent::Execute", kBegin, kDispatch, kOther, "ROCm 0.8", ""},
    {"Handle input", kBegin, kDispatch, kOther, "CPU 0.10 to 0.12, GPU 0.11, TPU", "h200/gpt"},
    {"Handle output", kBegin, kDispatch, kOther, "TPU", ""},
    {"MakeOutputBuffers", kBegin, kDispatch, kOther, "ROCm 0.8", ""},
    {"AllocateOutputBufferWithInputReuse", kBegin, kDispatch, kOther, "TPU", ""},
    {"MapDmaBuffer", kBegin, kDispatch, kOther, "TPU", ""},
    {"PCIe/Memcpy Dispatch", kBegin, kDispatch, kOther, "TPU", ""},
    {"RecordUsage", kBegin, kDispatch, kOther, "ROCm 0.8", ""},
    {"Wait for usage holds", kBegin, kDispatch, kOther, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8, TPU",
     "h200/gpt"},
    {"Wait for donation holds", kBegin, kDispatch, kOther, "CPU 0.10 to 0.12, GPU 0.11, ROCm 0.8, TPU",
     "h200/gpt"},
    {"Wait for LaunchOnDevice", kBegin, kDispatch, kOther, "CPU 0.12",
     "cpu/two_processes/plugins/profile/run/host0"},
    {"XlaLinearize", kBegin, kDispatch, kOther, "TPU", ""},
    {"XlaDelinearize", kBegin, kDispatch, kOther, "TPU", ""},
    {"TransposePlan::Execute", kBegin, kDispatch, kOther, "TPU", ""},
    {"LocalDeviceState::WaitFor", kBegin, kDispatch, kOther, "GPU 0.11", "h200/gpt"},
    {"cpp_pjit_shard_arg_fallback", kBegin, kDispatch, kOther, "ROCm 0.8", ""},
    {"tpu::System::Transfer", kBegin, kDispatch, kOther, "TPU", ""},
    {"tpu::System::AllocateAndFillTupleIndexTable", kBegin, kDispatch, kOther, "TPU", ""},
    {"Executable::CheckBufferCompatibilities", kAnywhere, kDispatch, kOther, "CPU 0.12", "cpu/one_device"},
    {"Executable::EnqueueExecution", kAnywhere, kDispatch, kOther, "ROCm 0.8", ""},
    {"Client::Load", kAnywhere, kDispatch, kOther, "GPU 0.11, TPU", "h200/recompile"},
    {"::CreateOutputs", kAnywhere, kDispatch, kOther, "CPU 0.10 to 0.12, GPU 0.11, TPU", "h200/gpt"},
    {"Client::SerializeProgram", kAnywhere, kDispatch, kOther, "GPU 0.11", "h200/recompile"},
    {"Buffer::Release", kAnywhere, kDispatch, kOther, "ROCm 0.8", ""},
    {"Buffer::CopyTo", kAnywhere, kDispatch, kOther, "ROCm 0.8, TPU", ""},
    {"Client::DefragmentMemory", kAnywhere, kDispatch, kOther, "TPU", ""},
    // Operations of XLA:CPU that end.
    {"end: ", kBegin, kDispatch, kOther, "CPU 0.10 to 0.12", "cpu/one_device"},
});

}  // namespace rows

namespace {

using rows::kEvents;

constexpr bool Has(const RuntimeEvent& event, std::string_view name) {
  switch (event.place) {
    case Place::kBegin:
      return name.starts_with(event.pattern.front()) && name.starts_with(event.pattern);
    case Place::kAnywhere:
      return name.contains(event.pattern);
    case Place::kEnd:
      return name.ends_with(event.pattern);
  }
  return false;
}

// Libraries whose calls are a short prefix and a capital: cuLaunchKernel, hipMemcpyAsync.
constexpr std::array<std::string_view, 7> kDriverPrefixes = {"cu",  "cuda", "cuda_", "hip",
                                                             "hsa", "roc",  "rccl"};

const RuntimeEvent* FirstOf(std::span<const RuntimeEvent> events, std::string_view name) {
  const auto found =
      std::ranges::find_if(events, [&](const RuntimeEvent& event) { return Has(event, name); });
  return found == events.end() ? nullptr : &*found;
}

// Behind the last row that says more than kDispatch.
constexpr size_t kEndOfWork = [] {
  size_t end = kEvents.size();
  while (kEvents[end - 1].work == HostWork::kDispatch) --end;
  return end;
}();

// The rows from the first of a call to its last.
constexpr auto kRows = [] {
  std::array<std::pair<size_t, size_t>, static_cast<size_t>(RuntimeCall::kRunDone) + 1> rows{};
  for (size_t i = 0; i < kEvents.size(); ++i) {
    auto& [first, end] = rows[static_cast<size_t>(kEvents[i].call)];
    if (end == 0) first = i;
    end = i + 1;
  }
  return rows;
}();
std::span<const RuntimeEvent> RowsOf(RuntimeCall call) {
  const auto& [first, end] = kRows[static_cast<size_t>(call)];
  return std::span(kEvents).subspan(first, end - first);
}

}  // namespace

std::span<const RuntimeEvent> RuntimeEvents() { return kEvents; }

const RuntimeEvent* FindRuntimeEvent(std::string_view name) { return FirstOf(kEvents, name); }

HostWork WorkOfRuntimeEvent(std::string_view name) {
  const RuntimeEvent* event = FirstOf(std::span(kEvents).first(kEndOfWork), name);
  return event == nullptr ? HostWork::kDispatch : event->work;
}

bool Is(RuntimeCall call, std::string_view name) {
  return std::ranges::any_of(
      RowsOf(call), [&](const RuntimeEvent& event) { return event.call == call && Has(event, name); });
}

std::string_view NameOf(RuntimeCall call) { return RowsOf(call).front().pattern; }

bool IsExecuteCall(std::string_view name) {
  return Is(RuntimeCall::kExecute, name) || Is(RuntimeCall::kExecuteOnDevice, name);
}

bool NamesExecution(std::string_view name) { return name.contains("Execut"); }

std::string_view ProgramOfExecuteCall(std::string_view name) {
  constexpr std::string_view kBefore = "Executable::Execute (";
  const size_t at = name.find(kBefore);
  if (at == std::string_view::npos || !name.ends_with(')')) return {};
  name.remove_prefix(at + kBefore.size());
  return name.substr(0, name.size() - 1);
}

bool IsDriverCall(std::string_view name) {
  return std::ranges::any_of(kDriverPrefixes, [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() &&
           std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0;
  });
}

bool IsDriverLaunch(std::string_view name) {
  return IsDriverCall(name) && name.contains("Launch") && !name.contains("HostFunc");
}

}  // namespace gait::analyze
