#include "gait/analyze/run/functions.h"

#include <algorithm>

namespace gait::analyze {

SourceLines LinesOf(const Program& program) {
  SourceLines lines;
  for (const Instruction& instruction : program.instructions) {
    if (instruction.source_line > 0)
      lines.emplace(program.text(instruction.source_file), instruction.source_line);
  }
  return lines;
}

bool MayBeOneFunction(const SourceLines& a, const SourceLines& b) {
  if (a.empty() || b.empty()) return true;
  return std::ranges::any_of(a, [&](const auto& line) { return b.contains(line); });
}

uint64_t FunctionNumbers::Of(std::string_view name, std::optional<uint64_t> program_id) {
  const auto [known, added] = known_.try_emplace({std::string(name), program_id}, next_);
  if (!added) return known->second;
  const Program* program = program_id ? trace_.FindProgram(*program_id) : nullptr;
  SourceLines lines = program != nullptr ? LinesOf(*program) : SourceLines();
  std::vector<Function>& functions = of_name_[known->first.first];
  const auto same = std::ranges::find_if(
      functions, [&](const Function& function) { return MayBeOneFunction(function.lines, lines); });
  if (same != functions.end()) return known->second = same->number;
  functions.push_back({next_, std::move(lines)});
  return next_++;
}

}  // namespace gait::analyze
