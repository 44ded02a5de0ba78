#include "gait/analyze/question/path/callbacks.h"

#include <utility>
#include <vector>

#include "gait/analyze/device/category.h"

namespace gait::analyze {

bool IsCpu(const Trace& trace, const Device& device) {
  return trace.plane(device.plane).kind == PlaneKind::kCpuDevice;
}

bool IsCallback(const Trace& trace, const WorkItem& item) {
  if (item.work != WorkClass::kCompute) return false;
  const Track& track = trace.track(item.event.track);
  const InstructionRef found = trace.attribution(track.args(item.event.index)).instruction;
  if (!found.valid()) return false;
  const Program& program = trace.programs()[found.program.value];
  return program.text(program[found.instruction].opcode) == "custom-call" &&
         CategoryOf(program, found.instruction) == Category::kHostCallback;
}

IntervalPrefixSum OnlyCallbacks(const HostView& view, size_t d) {
  if (!IsCpu(view.trace(), view.devices[d])) return IntervalPrefixSum();
  std::vector<Interval> callbacks;
  std::vector<Interval> others;
  for (const WorkItem& item : view.work[d]) {
    if (item.work != WorkClass::kCompute) continue;
    (IsCallback(view.trace(), item) ? callbacks : others).push_back(item.time);
  }
  if (callbacks.empty()) return IntervalPrefixSum();
  return IntervalPrefixSum(Subtract(Normalize(std::move(callbacks)), Normalize(std::move(others))));
}

}  // namespace gait::analyze
