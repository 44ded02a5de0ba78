#include "gait/analyze/question/memory/live_set.h"

#include <string>
#include <string_view>

#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

constexpr std::string_view kPlaceholder = "dummy";  // what TPUs write for an operation they do not know

}  // namespace

LiveAllocation AllocationContext::Describe(const AllocationEvent& allocation, std::optional<Ps> given_back) {
  LiveAllocation live;
  const Track& track = trace_.track(allocation.event.track);
  const int64_t bytes = trace_.Integer(allocation.event, "requested_bytes").value_or(-1);
  // On a thread that compiles: what candidates of the autotuner read, write and need while they are tried.
  const bool compiles = activity_.own_work(allocation.event) == HostWork::kCompile;
  if (compiles) live.kind = LiveKind::kCompilation;
  for (EventIndex up = track.parent(allocation.event.index); up.valid() && !compiles; up = track.parent(up)) {
    const std::string_view name = trace_.text(track.name(up));
    if (name.starts_with('$')) continue;  // a Python frame
    const EventRef up_event = {allocation.event.track, up};
    const CompileRole& role = roles_[track.name(up)];
    if (const std::string_view program = ExecutedProgram(up_event, name); !program.empty()) {
      live.program = program;
      live.kind = KindOfBuffer(live.program, bytes, given_back && given_back <= EndOfCall(up_event));
      break;
    }
    if (Is(RuntimeCall::kFromHost, name)) {
      live.kind = LiveKind::kInput;
      live.shape = ModuleInName(name);
      live.operation.clear();
      break;
    }
    if (role.kind == CompileRole::Kind::kBackend || role.is_stage() || Is(RuntimeCall::kRedzones, name)) {
      live.kind = LiveKind::kCompilation;
      live.operation.clear();
      break;
    }
    if (live.operation.empty()) live.operation = name;
  }
  // Inside a program's execution whose name no event gives, the size may still name it.
  if (live.kind == LiveKind::kOther && Is(RuntimeCall::kProgramBuffers, live.operation))
    live.kind = KindOfBuffer(live.program, bytes, false);
  if (!live.program.empty()) live.operation.clear();
  if (const auto op = trace_.String(allocation.event, "tf_op"); op && !op->empty() && *op != kPlaceholder)
    live.operation = *op;
  for (const char* key : {"shape", "tensor_shapes"}) {
    if (const auto shape = trace_.String(allocation.event, key); shape && !shape->empty())
      live.shape = *shape;
  }
  return live;
}

// "CommonPjRtLoadedExecutable::Execute (jit_f)", or "GpuExecutable::ExecuteThunks" with module_name=jit_f.
std::string_view AllocationContext::ExecutedProgram(EventRef event, std::string_view name) const {
  if (!NamesExecution(name)) return {};
  if (const std::string_view module = ModuleInName(name); !module.empty()) return module;
  return trace_.String(event, "module_name").value_or(std::string_view());
}

Ps AllocationContext::EndOfCall(EventRef event) const {
  const Track& track = trace_.track(event.track);
  EventIndex whole = event.index;
  for (EventIndex up = track.parent(whole); up.valid(); up = track.parent(up)) {
    if (!NamesExecution(trace_.text(track.name(up)))) break;
    whole = up;
  }
  return track.end(whole);
}

// A program asks for its allocations one by one, so their sizes tell them apart. Where temporaries and an
// output have the size: a call gives its temporaries back itself, outputs outlive it. An empty name is filled
// with that of the only program that has temporaries of the size, if none has an output of it.
LiveKind AllocationContext::KindOfBuffer(std::string& program, int64_t bytes, bool given_back_by_call) const {
  bool temporary = false;
  bool output = false;
  std::string_view only;
  for (const Program& p : trace_.programs()) {
    if ((!program.empty() && p.name != program) || !p.buffers) continue;
    for (const BufferAllocation& a : p.buffers->allocations) {
      if (a.size != bytes || a.thread_local_buffer || a.constant) continue;
      output |= a.live_out;
      if (a.entry_parameter || a.live_out) continue;
      if (temporary && only != p.name) return LiveKind::kOther;
      temporary = true;
      only = p.name;
    }
  }
  if (program.empty()) {
    if (!temporary || output) return LiveKind::kOther;
    program = only;
  }
  if (temporary && (!output || given_back_by_call)) return LiveKind::kTemporaries;
  return output ? LiveKind::kOutput : LiveKind::kOther;
}

}  // namespace gait::analyze
