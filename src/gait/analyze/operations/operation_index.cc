#include "gait/analyze/operations/operation_index.h"

#include <optional>

#include <fmt/format.h>

#include "gait/analyze/device/work_class.h"
#include "gait/analyze/operations/op_runs.h"
#include "gait/analyze/run/arguments.h"
#include "gait/trace/scope_path.h"

namespace gait::analyze {
namespace {

std::optional<std::string> OwnSource(const Program& program, InstructionIndex index) {
  if (!index.valid()) return std::nullopt;
  const Instruction& instruction = program[index];
  const std::string_view file = program.text(instruction.source_file);
  if (!file.empty()) {
    return instruction.source_line > 0 ? fmt::format("{}:{}", file, instruction.source_line)
                                       : std::string(file);
  }
  if (!instruction.frame.valid() || instruction.frame.value >= program.frames.size()) return std::nullopt;
  const Frame& frame = program.frames[instruction.frame.value];
  return fmt::format("{}:{}", program.text(frame.file), frame.line);
}

// Where in the source an instruction comes from; where it has no line itself, that of the instruction that
// gives it its scope, or of the last one with a line inside what it calls.
std::string SourceOf(const Program& program, InstructionIndex index) {
  if (auto own = OwnSource(program, index)) return *own;
  if (auto given = OwnSource(program, ScopeGiver(program, index))) return *given;
  for (const ComputationIndex called : program[index].called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t i = computation.end.value; i > computation.begin.value; --i) {
      if (auto inside = OwnSource(program, InstructionIndex(i - 1))) return *inside;
    }
  }
  return {};
}

}  // namespace

OperationIndex::OperationIndex(const RunView& view, bool by_host_scope) {
  for (const HostView& host : view.hosts) AddHost(host);
  for (size_t h = 0; h < view.hosts.size() && by_host_scope; ++h) TellApart(view.hosts[h]);
}

void OperationIndex::TellApart(const HostView& view) {
  const size_t h = scopes_of_hosts_.size();
  HostScopes& scopes = scopes_of_hosts_.emplace_back(view);
  std::unordered_map<uint64_t, uint32_t>& launched = launched_.emplace_back();
  for (const std::vector<WorkItem>& work : view.work) {
    for (const WorkItem& item : work) {
      const uint32_t scope = scopes.Of(item);
      if (scope == 0) continue;
      const uint32_t plain = Find(h, view.trace().track(item.event.track), item.event.index);
      const auto [entry, added] = launched.try_emplace(uint64_t{plain} << 32 | scope, kNone);
      if (!added) continue;
      // Hosts number scopes themselves.
      const auto next = static_cast<uint32_t>(operations_.size());
      const auto [same, is_new] = by_host_scope_.try_emplace({plain, scopes[scope]}, next);
      if (is_new) {
        operations_.push_back(operations_[plain]);
        operations_.back().host = scopes[scope];
      }
      entry->second = same->second;
    }
  }
}

uint32_t OperationIndex::OfInstruction(const Trace& trace, Attribution found) {
  const Program& own = trace.programs()[found.instruction.program.value];
  const auto [entry, is_new] =
      programs_.try_emplace(ProgramKey(own.name, own.id, own.instructions.size()), &own);
  const Program* program = entry->second;
  if (is_new) {
    by_instruction_[program].assign(program->instructions.size(), kNone);
    in_loops_[program] = InLoops(*program);
    scopes_.emplace(program, *program);
  }
  uint32_t& id = by_instruction_[program][found.instruction.instruction.value];
  if (id != kNone) return id;
  id = static_cast<uint32_t>(operations_.size());
  Operation operation;
  operation.program = program;
  operation.instruction = found.instruction.instruction;
  operation.attribution = found.kind;
  operation.name = program->text(operation.hlo().name);
  operation.scope = scopes_.at(program).Of(operation.instruction);
  operation.category = CategoryOf(*program, operation.instruction);
  operation.source = SourceOf(*program, operation.instruction);
  operation.in_loop = in_loops_[program][operation.hlo().computation.value];
  operations_.push_back(std::move(operation));
  return id;
}

uint32_t OperationIndex::OfOtherPrograms() {
  if (other_programs_ != kNone) return other_programs_;
  Operation operation;
  operation.name = "(other programs)";
  operation.category = Category::kOtherPrograms;
  operations_.push_back(std::move(operation));
  return other_programs_ = static_cast<uint32_t>(operations_.size() - 1);
}

uint32_t OperationIndex::OfName(AttributionKind reason, std::string_view name, const ScopeName& scope) {
  const auto [entry, is_new] = by_name_.try_emplace({reason, std::string(name), scope.Text()},
                                                    static_cast<uint32_t>(operations_.size()));
  if (is_new) {
    Operation operation;
    operation.attribution = reason;
    operation.name = name;
    operation.scope = scope;
    operation.category = CategoryOfKernel(name);
    operations_.push_back(std::move(operation));
  }
  return entry->second;
}

uint32_t OperationIndex::OfArguments(const Trace& trace, const EventScopes& scopes, ArgSetId set,
                                     std::string_view kernel) {
  const std::string_view name = UnfoundOperation(trace, set);
  if (name.empty()) return kNone;
  const uint32_t id = OfName(trace.attribution(set).kind, name, scopes.Of(set).value_or(ScopeName()));
  Operation& operation = operations_[id];
  if (operation.source.empty()) operation.source = TextArgument(trace, set, "source");
  // Of several kernels the one that computes tells what the operation does; it computes something in any
  // case.
  if (CategoryOfKernel(name) == Category::kUnattributed) {
    const WorkClass work = ClassOfKernel(kernel);
    const bool first = operation.category == Category::kUnattributed;
    if (work == WorkClass::kCompute || (first && work != WorkClass::kUnknown)) {
      operation.category = CategoryOfKernel(kernel);
    } else if (first) {
      operation.category = Category::kOther;
    }
  }
  return id;
}

void OperationIndex::AddHost(const HostView& view) {
  const Trace& trace = view.trace();
  const EventScopes scopes(trace);
  Host& tables = hosts_.emplace_back();
  tables.by_set.assign(trace.arg_sets().size(), kNone);
  tables.by_name.resize(kReasons);
  for (const Device& device : view.devices) {
    for (const TrackId id : device.work) {
      const Track& track = trace.track(id);
      for (size_t i = 0; i < track.size(); ++i) {
        const ArgSetId set = track.args(EventIndex(i));
        uint32_t& by_set = tables.by_set[set.value];
        if (by_set == kNone) {
          const Attribution found = trace.attribution(set);
          if (view.of_another_program(found)) {
            by_set = OfOtherPrograms();
          } else if (found.instruction.valid()) {
            by_set = OfInstruction(trace, found);
          } else {
            by_set = kByName + static_cast<uint32_t>(found.kind);
            const uint32_t named = OfArguments(trace, scopes, set, trace.text(track.name(EventIndex(i))));
            if (named != kNone) by_set = named;
          }
        }
        if (by_set < kByName) continue;
        std::vector<uint32_t>& names = tables.by_name[by_set - kByName];
        if (names.empty()) names.assign(trace.strings().size(), kNone);
        uint32_t& by_name = names[track.name(EventIndex(i)).value];
        if (by_name == kNone) {
          const auto reason = static_cast<AttributionKind>(by_set - kByName);
          by_name = OfName(reason, trace.text(track.name(EventIndex(i))));
          // What is of a program computes something, as in work_class.h.
          Category& category = operations_[by_name].category;
          if (category == Category::kUnattributed && reason != AttributionKind::kNone)
            category = Category::kOther;
        }
      }
    }
  }
}

}  // namespace gait::analyze
