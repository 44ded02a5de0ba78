#include "gait/analyze/run/instruction_source.h"

#include <fmt/format.h>

#include "gait/trace/scope_path.h"

namespace gait::analyze {
namespace {

std::string SourceText(const Program& program, const Instruction& instruction) {
  if (instruction.source_line <= 0) return std::string(program.text(instruction.source_file));
  return fmt::format("{}:{}", program.text(instruction.source_file), instruction.source_line);
}

}  // namespace

InstructionOrigin OriginOf(const Program& program, InstructionIndex index) {
  const InstructionIndex giver = ScopeGiver(program, index);
  const std::string from =
      giver.valid() && giver != index ? "%" + std::string(program.text(program[giver].name)) : std::string();
  InstructionOrigin origin;
  if (giver.valid()) {
    origin.scope = program.text(program[giver].op_name);
    origin.scope_from = from;
  }
  origin.source = SourceText(program, program[index]);
  origin.frame = program[index].frame;
  if (origin.source.empty() && giver.valid()) {
    origin.source = SourceText(program, program[giver]);
    origin.source_from = from;
  }
  if (!origin.frame.valid() && giver.valid()) origin.frame = program[giver].frame;
  return origin;
}

std::vector<StackLine> StackOf(const Program& program, FrameId frame) {
  std::vector<StackLine> lines;
  // A frame that is its own ancestor would never end.
  for (size_t depth = 0;
       frame.valid() && frame.value < program.frames.size() && depth < program.frames.size(); ++depth) {
    const Frame& f = program.frames[frame.value];
    lines.push_back(
        {fmt::format("{}:{}", program.text(f.file), f.line), std::string(program.text(f.function))});
    frame = f.parent;
  }
  return lines;
}

}  // namespace gait::analyze
