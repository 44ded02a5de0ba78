#include "gait/analyze/question/path/path_events.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "gait/analyze/run/arguments.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {

PathEvents::PathEvents(const Trace& trace)
    : trace_(trace), by_set_(trace.arg_sets().size() * kWorkClasses, kNone) {
  without_name_.fill(kNone);
}

std::vector<PathEvent> PathEvents::Take() && {
  std::ranges::stable_sort(events_, std::greater(), &PathEvent::time);
  return std::move(events_);
}

uint32_t PathEvents::SlotOfOther(PathClass c, EventRef event) {
  if (c == PathClass::kKernelGap || !event.track.valid()) return Named(c, StringId());
  return Named(c, trace_.track(event.track).name(event.index));
}

uint32_t PathEvents::SlotOfWork(PathClass c, EventRef event) {
  const Track& track = trace_.track(event.track);
  const ArgSetId set = track.args(event.index);
  uint32_t& slot = by_set_[set.value * kWorkClasses + Index(c)];
  InstructionRef instruction = trace_.attribution(set).instruction;
  if (!instruction.valid()) {
    const std::string_view named = UnfoundOperation(trace_, set);
    if (named.empty()) return Named(c, track.name(event.index));
    return slot = Named(c, trace_.strings().Find(named).value_or(StringId()));
  }
  // The line of asynchronous operations names the whole after its end; people know it by its start.
  if (track.info().kind == TrackKind::kAsyncOps) {
    const Program& program = trace_.programs()[instruction.program.value];
    instruction.instruction = Beginning(program, instruction.instruction);
  }
  // A memset that an instruction begins with is a copy, its kernels are compute.
  const uint64_t key = (uint64_t{instruction.program.value} << 32) | instruction.instruction.value;
  const auto [found, is_new] = by_instruction_[Index(c)].try_emplace(key, 0);
  if (is_new) found->second = New(c, instruction, StringId());
  return slot = found->second;
}

uint32_t PathEvents::Named(PathClass c, StringId name) {
  if (!name.valid()) {
    uint32_t& slot = without_name_[Index(c)];
    return slot != kNone ? slot : slot = New(c, {}, name);
  }
  const uint64_t key = (uint64_t{name.value} << 8) | Index(c);
  const auto [found, is_new] = by_name_.try_emplace(key, 0);
  if (is_new) found->second = New(c, {}, name);
  return found->second;
}

uint32_t PathEvents::New(PathClass c, InstructionRef instruction, StringId name) {
  events_.push_back({c, instruction, name, Ps(), 0});
  return static_cast<uint32_t>(events_.size() - 1);
}

}  // namespace gait::analyze
