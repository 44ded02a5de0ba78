// What the names of host events say. What runtimes write is in runtime_events.h, what the Python tracer
// writes in python_frames.h, the words of people in people_words.h. Nothing else knows what things are
// called.
//
// A name is read word by word (DeviceToHost is three words). HostActivity also looks at arguments, at threads
// and at the events around an event.
#pragma once

#include <cstdint>
#include <string_view>

namespace gait::analyze {

enum class HostKind : uint8_t {
  kStep,        // has the argument step_num
  kAnnotation,  // what people wrote with TraceAnnotation: everything that is none of the others
  kPython,      // a frame of the Python tracer: its name begins with $
  kRuntime,     // a call of JAX, XLA or the driver
  kOperation,   // an operation that XLA:CPU runs on its threads: device work, which `gait ops` is about
  kProfiler,    // what the profiler itself does: BUFFER_FLUSH and <UNKNOWN> of CUPTI, Python frames of gait;
                // not those in which gait waits for what the program launched: these are its waits, too
};
inline constexpr size_t kHostKinds = 6;
std::string_view Name(HostKind kind);  // "step", "annotation", ...

// The work that an event stands for, the strongest first.
enum class HostWork : uint8_t {
  kCompile,    // tracing, lowering, compiling, autotuning
  kPeer,       // waits for other devices or processes
  kCallback,   // a program's callback into Python
  kInput,      // the input pipeline: loading, preparing and fetching data
  kStaging,    // brings data of the host to the device: device_put, and the copy into a staging buffer
  kSync,       // waits for a result of the device
  kAllocator,  // memory of the device
  kCollect,    // garbage collection
  kDispatch,   // the runtime's other work, on the way to a launch
  kNone,       // the name says nothing: Python code, an annotation
};

// The kind by the name alone; kAnnotation where the name is of no other kind.
HostKind KindOfName(std::string_view name);
HostWork WorkOfName(std::string_view name);
// The same where the kind is known. Steps, operations and events of the profiler stand for no work.
HostWork WorkOf(HostKind kind, std::string_view name);

// A call in which the host itself moves bytes that go to the device.
bool MovesBytes(std::string_view name);

// gait itself waits here, at the end of a capture, for work which the program has launched: an event of this
// name, or a frame of its own.
inline constexpr std::string_view kWaitOfGait = "gait's wait for launched work";  // as in _capture.py
bool IsWaitOfGait(std::string_view name);

// A program that is the profiler's own: gait asks devices with it whether they are done.
bool IsProfilersProgram(std::string_view name);

bool IsRuntimeThread(std::string_view name);  // of a thread: one of the runtime's pools
// "tf_XLAEigen/-123", "Host Threads/17": names that the runtime gives to its threads, and the profiler to the
// threads of a device. All other threads have the system's name, without a number.
bool IsNumberedThread(std::string_view name);
bool IsRuntimeArgument(std::string_view name);  // only runtimes write it: run_id, correlation_id, hlo_op, ...

// The name without the parts that differ from call to call: "ComputeSemaphoreAcquire [capacity=32, value=31]"
// without its brackets, "Wait: pending_threads=2/8" as "Wait".
std::string_view CommonName(std::string_view name);

}  // namespace gait::analyze
