#include "gait/analyze/path/path_events.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "gait/analyze/arguments.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {

PathEvents::PathEvents(const Trace& trace)
    : trace_(trace), by_set_(trace.arg_sets().size() * kWorkClasses, kNone) {}

std::vector<PathEvent> PathEvents::Take() && {
  std::ranges::stable_sort(events_, std::greater(), &PathEvent::time);
  return std::move(events_);
}

size_t PathEvents::Slot(const PathPart& part) {
  if (!part.event.track.valid()) return Named(part.in, StringId());
  const Track& track = trace_.track(part.event.track);
  const bool work = part.in <= PathClass::kCopies && track.info().kind != TrackKind::kThread;
  if (!work)
    return Named(part.in, part.in == PathClass::kKernelGap ? StringId() : track.name(part.event.index));
  const ArgSetId set = track.args(part.event.index);
  size_t& slot = by_set_[set.value * kWorkClasses + Index(part.in)];
  if (slot != kNone) return slot;
  InstructionRef instruction = trace_.attribution(set).instruction;
  if (!instruction.valid()) {
    const std::string_view named = UnfoundOperation(trace_, set);
    if (named.empty()) return Named(part.in, track.name(part.event.index));
    return slot = Named(part.in, trace_.strings().Find(named).value_or(StringId()));
  }
  // The line of asynchronous operations names the whole after its end; people know it by its start.
  if (track.info().kind == TrackKind::kAsyncOps) {
    const Program& program = trace_.programs()[instruction.program.value];
    instruction.instruction = Beginning(program, instruction.instruction);
  }
  // A memset that an instruction begins with is a copy, its kernels are compute.
  const uint64_t key = (uint64_t{instruction.program.value} << 32) | instruction.instruction.value;
  const auto [found, is_new] = by_instruction_[Index(part.in)].try_emplace(key, 0);
  if (is_new) found->second = New(part.in, instruction, StringId());
  return slot = found->second;
}

size_t PathEvents::Named(PathClass c, StringId name) {
  const uint64_t key = (uint64_t{name.value} << 8) | Index(c);
  const auto [found, is_new] = by_name_.try_emplace(key, 0);
  if (is_new) found->second = New(c, {}, name);
  return found->second;
}

size_t PathEvents::New(PathClass c, InstructionRef instruction, StringId name) {
  events_.push_back({c, instruction, name, Ps(), 0});
  return events_.size() - 1;
}

}  // namespace gait::analyze
