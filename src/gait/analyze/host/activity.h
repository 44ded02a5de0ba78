// What an event of a host thread is, and which part of the input pipeline it belongs to.
//
//   step        has the argument step_num
//   operation   an operation that XLA:CPU runs on its threads: device work, which `gait ops` is about
//   python      a frame of the Python tracer: its name begins with $
//   runtime     a call of JAX, XLA or the driver: by its name (PjRt..., cuLaunchKernel, Foo::Bar,
//   PjitFunction),
//               by arguments that only they write (run_id, correlation_id, hlo_op, producer and consumer
//               ids), because it is called like an operation or a kernel, because its thread is one of the
//               runtime's pools, or because it runs inside such a call
//   profiler    what the profiler itself does: BUFFER_FLUSH and <UNKNOWN> of CUPTI
//   annotation  everything else: what people wrote with TraceAnnotation
#pragma once

#include <cstdint>
#include <string_view>

namespace gait::analyze {

enum class ActivityKind : uint8_t { kStep, kAnnotation, kPython, kRuntime, kOperation, kProfiler };
inline constexpr size_t kActivityKinds = 6;
std::string_view Name(ActivityKind kind);  // "step", "annotation", ...

bool IsPythonFrame(std::string_view name);
bool IsProfilerName(std::string_view name);
bool IsRuntimeName(std::string_view name);
bool IsRuntimeThread(std::string_view name);
bool IsRuntimeArgument(std::string_view name);

// The name without what differs from call to call: "ComputeSemaphoreAcquire [capacity=32, value=31]" without
// its brackets, "Wait: pending_threads=2/8" as "Wait".
std::string_view CommonName(std::string_view name);

// Parts of a host's step. kNone: nothing that is recognised.
enum class HostPart : uint8_t { kFetch, kToDevice, kDispatch, kCompile, kWait, kCollect, kNone };
inline constexpr size_t kHostParts = 6;  // without kNone
std::string_view Name(HostPart part);    // "fetch", "to_device", "dispatch", "compile", "wait", "collect"

// By the words of the name: fetch, load, data, next, batch, ... ; device_put, to_device, transfer, ... ;
// PjitFunction, Execute, ... ; compile; block_until_ready, await, synchronize, asarray, ... ; garbage
// collection.
HostPart PartOf(ActivityKind kind, std::string_view name);

}  // namespace gait::analyze
