#include "gait/analyze/vocabulary/step_arguments.h"

#include <algorithm>

namespace gait::analyze {

std::vector<bool> ArgSetsWith(const Trace& trace, StringId key) {
  std::vector<bool> has(trace.arg_sets().size());
  for (size_t i = 0; i < has.size(); ++i) {
    has[i] =
        std::ranges::any_of(trace.arg_sets()[ArgSetId(i)], [&](const ArgEntry& e) { return e.key == key; });
  }
  return has;
}

StringId BlockArgument(const Trace& trace) { return trace.strings().Find("gait_block").value_or(StringId()); }

std::optional<StringId> StepArgument(const Trace& trace) {
  for (const char* name : {"step_num", "_r"}) {
    const std::optional<StringId> key = trace.strings().Find(name);
    if (key && std::ranges::count(ArgSetsWith(trace, *key), true) > 0) return key;
  }
  return std::nullopt;
}

}  // namespace gait::analyze
