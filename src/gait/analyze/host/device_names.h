// Names that are no words of people or runtimes: names of operations and kernels.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

// Whether events of devices have the name, by StringId.
inline std::vector<bool> NamesOnDevices(const Trace& trace) {
  std::vector<bool> names(trace.strings().size());
  for (const Track& track : trace.tracks()) {
    if (!trace.plane(track.info().plane).is_device()) continue;
    for (size_t i = 0; i < track.size(); ++i) names[track.name(EventIndex(i)).value] = true;
  }
  return names;
}

// Whether an instruction of a program has the name.
inline bool IsInstruction(const Trace& trace, std::string_view name) {
  return std::ranges::any_of(trace.programs(), [&](const Program& p) { return p.Find(name).valid(); });
}

}  // namespace gait::analyze
