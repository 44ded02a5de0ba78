#include "gait/analyze/operations/operation_groups.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include <fmt/format.h>

#include "gait/analyze/operations/scope_tree.h"

namespace gait::analyze {
namespace {

constexpr std::array<std::string_view, 7> kWords = {"op",      "scope", "category", "source",
                                                    "program", "layer", "shape"};

std::string ProgramName(const Operation& operation) {
  return operation.attributed() ? operation.program->name : std::string();
}

std::string ShapeText(const Operation& operation) {
  const Program& program = *operation.program;
  const Instruction& hlo = operation.hlo();
  std::string text(program.text(hlo.opcode));
  if (const auto kind = program.text(hlo.fusion_kind); !kind.empty()) text += fmt::format(" {}", kind);
  if (const auto target = program.text(hlo.custom_call_target); !target.empty()) {
    text += fmt::format(" {}", target);
  }
  std::string operands;
  for (const InstructionIndex operand : hlo.operands) {
    operands += (operands.empty() ? "" : ", ") + program.ShapeWithoutLayout(program[operand].shape);
  }
  return fmt::format("{} ({}) → {}", text, operands, program.ShapeWithoutLayout(hlo.shape));
}

// The name of the group an operation is in, and what tells it from groups of the same name.
std::pair<std::string, std::string> KeyOf(const Operation& operation, GroupBy by) {
  if (by == GroupBy::kCategory) {
    const std::string name(Name(operation.category));
    return {name, name};
  }
  if (by == GroupBy::kOp && !operation.attributed()) {
    return {operation.name, fmt::format("{} {} {}", static_cast<int>(operation.attribution), operation.name,
                                        operation.scope.Text())};
  }
  if (by == GroupBy::kSource && !operation.source.empty()) return {operation.source, operation.source};
  if (!operation.attributed()) {
    const std::string name = UnattributedName(operation);
    return {name, name};
  }
  const std::string program = fmt::format("{}({})", operation.program->name, operation.program->id);
  switch (by) {
    case GroupBy::kProgram:
      return {program, program};
    case GroupBy::kSource:
      return {"(no source line)", "(no source line)"};
    case GroupBy::kShape: {
      const std::string name = ShapeText(operation);
      return {name, name};
    }
    default:
      return {operation.name, fmt::format("{} {} {}", program, operation.program->instructions.size(),
                                          operation.instruction.value)};
  }
}

std::vector<OpGroup> Flat(const Operations& operations, const std::vector<OpRoof>& roofs, GroupBy by) {
  std::vector<OpGroup> groups;
  std::unordered_map<std::string, uint32_t> by_key;
  Membership membership;
  membership.of.resize(operations.totals.size());
  for (size_t i = 0; i < operations.totals.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    if (total.events == 0 && total.self == Ps() && total.time == Ps()) continue;
    auto [name, key] = KeyOf(total.what, by);
    const auto [entry, is_new] = by_key.try_emplace(std::move(key), static_cast<uint32_t>(groups.size()));
    if (is_new) {
      groups.emplace_back();
      groups.back().name = groups.back().path = std::move(name);
    }
    AddTo(groups[entry->second], total, roofs[i]);
    groups[entry->second].own += total.self;
    membership.of[i] = {entry->second};
  }
  membership.groups = groups.size();
  const std::vector<Ps> times = GroupTimes(operations, membership);
  for (size_t g = 0; g < groups.size(); ++g) groups[g].time = times[g];
  std::ranges::stable_sort(groups, [](const OpGroup& a, const OpGroup& b) {
    return a.self != b.self ? a.self > b.self : a.name < b.name;
  });
  return groups;
}

}  // namespace

std::string_view Name(GroupBy by) { return kWords[static_cast<size_t>(by)]; }

std::optional<GroupBy> ParseGroupBy(std::string_view word) {
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<GroupBy>(found - kWords.begin());
}

std::string UnattributedName(const Operation& operation) {
  if (operation.category == Category::kOtherPrograms) return operation.name;
  const auto reason = [&]() -> std::string_view {
    switch (operation.attribution) {
      case AttributionKind::kNoProgram:
        return "no program";
      case AttributionKind::kNoInstruction:
        return "no instruction";
      case AttributionKind::kGraphMismatch:
        return "graph mismatch";
      default:
        break;
    }
    return IsCopyCategory(operation.category) ? "copies" : "kernels";
  };
  return fmt::format("(unattributed) {}", reason());
}

std::string WithoutNumber(std::string_view element) {
  size_t end = element.size();
  while (end > 0 && (element[end - 1] == ')' || element[end - 1] == ']')) --end;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(element[begin - 1])) != 0) --begin;
  if (begin == end) return std::string(element);
  return fmt::format("{}*{}", element.substr(0, begin), element.substr(end));
}

void AddTo(OpGroup& group, const OpTotal& total, const OpRoof& roof) {
  const Operation& what = total.what;
  const auto merge = [&](std::string& common, std::string_view own) {
    if (group.operations == 0) common = own;
    if (common != own) common.clear();
  };
  merge(group.program, ProgramName(what));
  merge(group.category, Name(what.category));
  merge(group.scope, what.has_scope() ? what.scope.Text() : std::string());
  merge(group.source, what.source);
  merge(group.caller, what.host.caller);
  merge(group.unattributed, what.attributed() ? std::string() : UnattributedName(what));
  const std::optional<Pass> pass = what.has_scope() ? std::optional(what.scope.pass) : std::nullopt;
  const std::optional<uint64_t> id = what.attributed() ? std::optional(what.program->id) : std::nullopt;
  if (group.operations == 0) group.program_id = id;
  if (group.program_id != id) group.program_id = std::nullopt;
  if (group.operations == 0) group.pass = pass;
  if (group.pass != pass) group.pass = std::nullopt;
  ++group.operations;
  group.self += total.self;
  group.events += total.events;
  group.executions += total.executions;
  group.work.Add(roof.work);
}

std::vector<OpGroup> GroupOperations(const Operations& operations, const std::vector<OpRoof>& roofs,
                                     GroupBy by) {
  switch (by) {
    case GroupBy::kScope:
      return ScopeTree(operations, roofs);
    case GroupBy::kLayer:
      return LayerTree(operations, roofs);
    default:
      return Flat(operations, roofs, by);
  }
}

}  // namespace gait::analyze
