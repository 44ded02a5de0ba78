// Why a device was idle: the causes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gait/base/units.h"

namespace gait::analyze {

enum class IdleCause : uint8_t {
  kPeer,         // a collective could not begin because another device of it was not there yet
  kInput,        // the host was busy with the input: loading and preparing it
  kStaging,      // the host brought bytes to the device: device_put, the copy into a staging buffer
  kCallback,     // the program had called back into Python, and its copies had not been launched yet
  kCompile,      // the host compiled
  kHostSync,     // the host waited for a result, or was still waking up from it
  kAllocator,    // the host allocated or freed memory
  kDispatch,     // the host was late for any other reason: Python code, dispatch
  kLaunch,       // the launch itself: from the call's begin until the device began
  kGraphLaunch,  // the same, of a graph
  kDependency,   // launched in time, but held by another stream, an event or a copy
  kKernelGap,    // launched in time, and no longer than the device needs from one piece of work to the next
  kUnknown,      // the capture does not hold the call, or nothing follows
};
inline constexpr size_t kIdleCauses = 13;
inline constexpr size_t Index(IdleCause cause) { return static_cast<size_t>(cause); }

std::string_view Name(IdleCause cause);      // stable: "input", "host_sync", ...
std::string_view Describe(IdleCause cause);  // for people: "host busy with input"
std::string_view Phrase(IdleCause cause);    // in a sentence: "while the host was busy with input"
bool IsHostLate(IdleCause cause);            // the host had not launched yet
// The profiler makes it longer: the host's calls, and with them what waits for them.
bool GrowsWithRecording(IdleCause cause);
std::optional<IdleCause> FindIdleCause(std::string_view name);

// The longest time that a device needs between two pieces of work that were both launched in time. H200: 0.6
// to 3 us between kernels of a stream and of a graph, about 10 us across streams. Longer gaps have a reason.
inline constexpr Ps kMostKernelGap = Microseconds(15);

using TimeByCause = std::array<Ps, kIdleCauses>;

}  // namespace gait::analyze
