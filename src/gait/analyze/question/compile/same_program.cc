#include "gait/analyze/question/compile/same_program.h"

#include <string>
#include <string_view>

namespace gait::analyze {
namespace {

using Differs = ProgramDifference::Kind;

// Takes "key":value out of JSON text; the value may be an object.
void RemoveKey(std::string& text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    size_t end = at + key.size();
    for (int depth = 0; end < text.size(); ++end) {
      if (depth == 0 && (text[end] == ',' || text[end] == '}')) break;
      depth += text[end] == '{';
      depth -= text[end] == '}';
    }
    text.erase(at, end - at);
  }
}

// What a call of a library asks for, without how the autotuner found it is done fastest.
std::string WithoutTuning(std::string_view backend_config) {
  std::string text(backend_config);
  for (const std::string_view key :
       {"\"selected_algorithm\":", "\"autotune_workspace_size\":", "\"algorithm\":"}) {
    RemoveKey(text, key);
  }
  return text;
}

bool SameConfiguration(std::string_view opcode, std::string_view before, std::string_view after) {
  // That of a fusion says how it is done: tiles, warps, the emitter. What it does is its computation.
  return before == after || opcode == "fusion" || WithoutTuning(before) == WithoutTuning(after);
}

bool SameStructure(const Program& before, const Program& after) {
  if (before.computations.size() != after.computations.size() ||
      before.instructions.size() != after.instructions.size() || before.entry != after.entry) {
    return false;
  }
  for (size_t i = 0; i < before.computations.size(); ++i) {
    const Computation& was = before.computations[i];
    const Computation& is = after.computations[i];
    if (was.begin != is.begin || was.end != is.end || was.root != is.root) return false;
  }
  return true;
}

Differs Difference(const Program& before, const Instruction& was, const Program& after,
                   const Instruction& is) {
  const std::string_view opcode = before.text(was.opcode);
  if (was.operands != is.operands || was.called != is.called || opcode != after.text(is.opcode) ||
      !SameConfiguration(opcode, before.text(was.backend_config), after.text(is.backend_config))) {
    return Differs::kOther;
  }
  if (was.fingerprint != is.fingerprint) {
    const bool constant = opcode == "constant" && was.shape.valid() && is.shape.valid() &&
                          before.ShapeText(was.shape) == after.ShapeText(is.shape);
    return constant ? Differs::kConstants : Differs::kOther;
  }
  return before.text(was.sharding) == after.text(is.sharding) ? Differs::kNone : Differs::kSharding;
}

}  // namespace

ProgramDifference FindDifference(const Program& before, const Program& after) {
  if (!SameStructure(before, after)) return {Differs::kOther, {}};
  ProgramDifference found;
  if (before.device_ids != after.device_ids || before.parameter_shardings != after.parameter_shardings) {
    found.kind = Differs::kSharding;
  }
  for (size_t i = 0; i < before.instructions.size(); ++i) {
    const Differs kind = Difference(before, before.instructions[i], after, after.instructions[i]);
    if (kind == Differs::kOther) return {kind, {}};
    // Where both differ, the constants follow from the sharding: numbers of partitions, offsets of parts.
    const bool more = kind == Differs::kSharding
                          ? !found.first.valid() || found.kind == Differs::kConstants
                          : kind == Differs::kConstants && found.kind == Differs::kNone;
    if (more) found = {kind, InstructionIndex(i)};
  }
  return found;
}

}  // namespace gait::analyze
