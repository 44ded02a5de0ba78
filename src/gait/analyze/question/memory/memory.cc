#include "gait/analyze/question/memory/memory.h"

#include <algorithm>

#include "gait/base/pattern.h"

namespace gait::analyze {

const Allocator* HostMemory::worst() const {
  const Allocator* found = nullptr;
  for (const Allocator& a : allocators) {
    if (a.space == MemorySpace::kDevice && (found == nullptr || a.peak > found->peak)) found = &a;
  }
  return found;
}

const Allocator* WorstAllocator(std::span<const HostMemory> hosts) {
  const Allocator* found = nullptr;
  for (const HostMemory& host : hosts) {
    const Allocator* worst = host.worst();
    if (worst != nullptr && (found == nullptr || worst->peak > found->peak)) found = worst;
  }
  return found;
}

const ProgramMemory* HostMemory::program_at_peak() const {
  if (const Allocator* allocator = worst()) {
    for (const LiveAllocation& live : allocator->live) {
      if (live.kind != LiveKind::kTemporaries) continue;
      const auto found = std::ranges::find_if(
          programs, [&](const ProgramMemory& p) { return p.known && p.program->name == live.program; });
      if (found != programs.end()) return &*found;
    }
  }
  const auto ran = std::ranges::find_if(programs, [](const ProgramMemory& p) { return p.known && p.ran; });
  if (ran != programs.end()) return &*ran;
  return programs.empty() || !programs.front().known ? nullptr : &programs.front();
}

namespace {

// By ProgramIndex.
std::vector<bool> ProgramsThatRan(const Trace& trace) {
  std::vector<bool> ran(trace.programs().size());
  for (size_t set = 0; set < trace.arg_sets().size(); ++set) {
    const Attribution found = trace.attribution(ArgSetId(set));
    if (found.instruction.valid()) ran[found.instruction.program.value] = true;
  }
  return ran;
}

}  // namespace

Result<std::span<const HostMemory>> FindMemory(const RunView& view) {
  GAIT_TRY(const Pattern pattern, Pattern::Compile(view.selection.program));
  const std::string& wish = view.selection.program;
  return view.memo->Get<std::vector<HostMemory>>([&] {
    std::vector<HostMemory> result;
    for (const HostView& host : view.hosts) {
      HostMemory memory;
      memory.view = &host;
      memory.allocators = FindAllocators(host, view.selection);
      const std::vector<bool> ran = ProgramsThatRan(host.trace());
      for (size_t i = 0; i < ran.size(); ++i) {
        const Program& program = host.trace().programs()[i];
        if (!wish.empty() && std::to_string(program.id) != wish && !pattern.Matches(program.name)) continue;
        memory.programs.push_back(FindProgramMemory(program));
        memory.programs.back().ran = ran[i];
      }
      std::ranges::stable_sort(memory.programs, [](const ProgramMemory& a, const ProgramMemory& b) {
        return a.known != b.known ? a.known : a.total() > b.total();
      });
      result.push_back(std::move(memory));
    }
    return result;
  });
}

}  // namespace gait::analyze
