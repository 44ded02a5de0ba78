// The classes of the parts of a critical path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gait/base/units.h"

namespace gait::analyze {

enum class PathClass : uint8_t {
  kCompute,        // device work
  kCommunication,  // collectives, and the host's wait for peers
  kCopies,
  kKernelGap,  // between two pieces of work that were both launched in time
  kLaunch,     // launch calls, and from their begin to the begin of their work, where that comes soon
  kHost,       // Python, dispatch, memory: everything of the host that is none of the following
  kInput,      // the input pipeline, and bringing data to the device
  kCompile,
  kHostSync,  // from the end of the work that the host waited for
  kUnknown,   // work that belongs to no program, and time that nothing explains
};
inline constexpr size_t kPathClasses = 10;
inline constexpr size_t Index(PathClass c) { return static_cast<size_t>(c); }

std::string_view Name(PathClass c);      // stable: "compute", "kernel_gap", ...
std::string_view Describe(PathClass c);  // for people: "launch overhead"

using TimeByClass = std::array<Ps, kPathClasses>;

}  // namespace gait::analyze
