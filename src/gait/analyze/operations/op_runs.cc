#include "gait/analyze/operations/op_runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

void MarkCalled(const Program& program, ComputationIndex start, std::vector<bool>& marked) {
  std::vector<ComputationIndex> pending = {start};
  while (!pending.empty()) {
    const ComputationIndex at = pending.back();
    pending.pop_back();
    if (!at.valid() || at.value >= marked.size() || marked[at.value]) continue;
    marked[at.value] = true;
    const Computation& computation = program.computations[at.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      const std::vector<ComputationIndex>& called = program.instructions[i].called;
      pending.insert(pending.end(), called.begin(), called.end());
    }
  }
}

}  // namespace

std::vector<bool> InLoops(const Program& program) {
  std::vector<bool> in_loop(program.computations.size());
  for (const Instruction& instruction : program.instructions) {
    if (program.text(instruction.opcode) != "while") continue;
    for (const ComputationIndex called : instruction.called) MarkCalled(program, called, in_loop);
  }
  return in_loop;
}

ProgramRuns::ProgramRuns(const HostView& host)
    : host_(host),
      correlation_(host.trace().strings().Find("correlation_id").value_or(StringId())),
      run_id_(host.trace(), "run_id"),
      execute_(host.trace().strings().size()),
      graph_(host.trace().arg_sets().size()),
      enclosing_(host.trace().tracks().size()) {
  const Trace& trace = host.trace();
  for (size_t i = 0; i < execute_.size(); ++i) execute_[i] = IsExecuteCall(trace.text(StringId(i)));
  for (size_t i = 0; i < graph_.size(); ++i) {
    graph_[i] = trace.attribution(ArgSetId(i)).kind == AttributionKind::kByGraphNode;
  }
}

const std::vector<uint32_t>& ProgramRuns::Enclosing(TrackId id) {
  std::vector<uint32_t>& enclosing = enclosing_[id.value];
  const Track& track = host_.trace().track(id);
  if (!enclosing.empty() || track.size() == 0) return enclosing;
  enclosing.resize(track.size());
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex parent = track.parent(EventIndex(i));
    if (execute_[track.name(EventIndex(i)).value]) {
      enclosing[i] = static_cast<uint32_t>(i + 1);
    } else if (parent.valid() && parent.value < i) {
      enclosing[i] = enclosing[parent.value];
    }
  }
  return enclosing;
}

std::optional<uint64_t> ProgramRuns::Run(EventRef call, bool graph) {
  const auto pack = [](uint32_t track, uint32_t index) { return uint64_t{track} << 32 | index; };
  const std::vector<uint32_t>& enclosing = Enclosing(call.track);
  if (enclosing[call.index.value] != 0) return pack(call.track.value, enclosing[call.index.value] - 1);
  if (graph) return pack(call.track.value, call.index.value);
  return std::nullopt;
}

std::optional<uint64_t> ProgramRuns::FindOther(const WorkItem& item) {
  const Trace& trace = host_.trace();
  const bool graph = graph_[trace.track(item.event.track).args(item.event.index).value];
  if (item.has_call()) {
    last_call_ = item.call;
    return last_run_ = Run(item.call, graph);
  }
  // A graph whose launch is not in the capture: its nodes still share one id.
  if (!graph) return std::nullopt;
  const auto id = trace.FindArg(item.event, correlation_);
  return id && id->integer() ? std::optional(static_cast<uint64_t>(*id->integer())) : std::nullopt;
}

std::optional<uint64_t> ProgramRuns::RunId(const WorkItem& item) const {
  const auto id = run_id_(host_.trace().track(item.event.track), item.event.index);
  return id && id->integer() ? std::optional(static_cast<uint64_t>(*id->integer())) : std::nullopt;
}

bool MayHaveParts(const Operation& operation, PlaneKind device) {
  return operation.attributed() && (device == PlaneKind::kGpu || device == PlaneKind::kCpuDevice);
}

bool GoesOn(const Operation& operation, PlaneKind device) {
  return device == PlaneKind::kCpuDevice && operation.attributed() &&
         operation.program->text(operation.hlo().opcode) == "sort";
}

ExecutionCounter::ExecutionCounter(const HostView& host, const Device& device, ProgramRuns& runs,
                                   const std::vector<Operation>& operations)
    : operations_(operations),
      runs_(runs),
      kind_(host.trace().plane(device.plane).kind),
      last_operation_(static_cast<uint32_t>(operations.size())),
      seen_(operations.size()) {
  for (size_t i = 0; i < seen_.size(); ++i) {
    seen_[i].by_runs = MayHaveParts(operations[i], kind_);
    seen_[i].in_loop = operations[i].in_loop;
  }
}

void ExecutionCounter::Add(uint32_t operation, const Track& track, const WorkItem& item) {
  Seen& seen = seen_[operation];
  if (track.info().kind == TrackKind::kAsyncOps) {
    ++seen.asynchronous;
    return;
  }
  const bool directly = std::exchange(last_operation_, operation) == operation;
  ++seen.events;
  if (!seen.by_runs) return;
  if (directly && GoesOn(operations_[operation], kind_)) ++seen.same;
  const StringId name = track.name(item.event.index);
  if (seen.name_count == 0) seen.name = name;
  if (seen.name == name) {
    ++seen.name_count;
  } else {
    if (seen.other_name != name) {
      seen.other_name = name;
      seen.other_count = &other_names_[uint64_t{operation} << 32 | name.value];  // stays where it is
    }
    ++*seen.other_count;
  }
  if (seen.in_loop || seen.run_unknown) return;
  const auto run = runs_.Find(item);
  if (!run) {
    seen.run_unknown = true;
  } else if (kind_ == PlaneKind::kCpuDevice) {
    if (seen.runs_of_cpu.empty() || seen.runs_of_cpu.back() != *run) seen.runs_of_cpu.push_back(*run);
  } else if (seen.runs == 0 || *run != seen.last_run) {
    ++seen.runs;
    seen.last_run = *run;
  }
}

std::vector<uint64_t> ExecutionCounter::Finish() {
  for (Seen& seen : seen_) {
    std::ranges::sort(seen.runs_of_cpu);
    const auto repeated = std::ranges::unique(seen.runs_of_cpu);
    seen.runs += static_cast<uint64_t>(repeated.begin() - seen.runs_of_cpu.begin());
  }
  std::vector<uint64_t> least(seen_.size());
  for (size_t i = 0; i < seen_.size(); ++i) least[i] = seen_[i].name_count;
  for (const auto& [key, count] : other_names_) least[key >> 32] = std::min(least[key >> 32], count);
  std::vector<uint64_t> executions(seen_.size());
  for (size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (seen.name_count == 0) {
      executions[i] = seen.events > 0 ? seen.events : seen.asynchronous;
    } else {
      executions[i] = seen.in_loop || seen.run_unknown ? least[i] - seen.same : seen.runs;
    }
  }
  return executions;
}

}  // namespace gait::analyze
