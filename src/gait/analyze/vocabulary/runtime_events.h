// The events that JAX, XLA, PJRT, the runtimes of TPUs and the drivers' libraries write on threads of the
// host: what each means, who was seen to write it, and a capture that shows it. A name that a new version
// uses is a new row of the table, and nothing else. `gait info --verbose` lists the names of a capture that
// no row knows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gait/analyze/vocabulary/host_names.h"

namespace gait::analyze {

// Where in a name a pattern stands.
enum class Place : uint8_t { kBegin, kAnywhere, kEnd };

// Calls and marks that analyses look for, beside the work that the events stand for.
enum class RuntimeCall : uint8_t {
  kOther,
  kJitted,           // calls a jitted function; the name says which
  kExecute,          // runs a program; the name or an argument may say which
  kExecuteOnDevice,  // runs a program on one device, and does not say which
  kExecuteOnTpu,     // hands a program to a TPU
  kGraphLaunch,      // launches a CUDA or HIP graph
  kBackendCompile,   // compiles a program: from HLO to what the device runs
  kToDevice,         // brings bytes to the device, and says how many
  kFromDevice,       // the way back
  kAllocation,       // of device memory, with its size
  kDeallocation,
  kProgramBuffers,  // allocates the buffers of a program
  kRedzones,        // allocates guards around what the autotuner's candidates write
  kFromHost,        // makes a buffer from an array of the host
  kFromStaging,     // copies what came from the device out of a staging buffer
  kQueuePlace,      // waits for a place in the queue of launches, not for a result
  kTaskGiven,       // a pool of threads is given a task; the argument _p has its number
  kTaskBegins,      // a thread of the pool begins a task; the argument _c has its number
  kTaskEnds,
  kRunDone,  // XLA:CPU waits until a run is done on a device
};

struct RuntimeEvent {
  std::string_view pattern;
  Place place;
  HostWork work;
  RuntimeCall call;
  std::string_view writers;  // versions of JAX in whose captures it was seen; empty: known from source code
  std::string_view capture;  // of tests/data, which shows it
};

// The first row that has a name says what work the name stands for. Rows of kDispatch come last: there the
// words of the name may say more.
std::span<const RuntimeEvent> RuntimeEvents();
const RuntimeEvent* FindRuntimeEvent(std::string_view name);  // null: no row has the name
// The work that the rows say; kDispatch where they say none.
HostWork WorkOfRuntimeEvent(std::string_view name);
// Whether a row of the call has the name.
bool Is(RuntimeCall call, std::string_view name);
// The pattern of the call's first row: the whole name, for calls that have one name.
std::string_view NameOf(RuntimeCall call);
// Whether the call runs a program.
bool IsExecuteCall(std::string_view name);
// Whether the event is any part of running a program.
bool NamesExecution(std::string_view name);
// "jit_f" of "CommonPjRtLoadedExecutable::Execute (jit_f)"; empty: the call names no program.
std::string_view ProgramOfExecuteCall(std::string_view name);
// A call of a driver's library: cuLaunchKernel, hipMemcpyAsync. Functions whose names begin in lower case are
// no such calls.
bool IsDriverCall(std::string_view name);
// A call of a driver's library that launches a kernel or a graph.
bool IsDriverLaunch(std::string_view name);

}  // namespace gait::analyze
