#include "gait/analyze/question/compile/reasons.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/question/compile/same_program.h"
#include "gait/analyze/run/functions.h"

namespace gait::analyze {
namespace {

std::vector<InstructionIndex> Parameters(const Program& program) {
  std::vector<InstructionIndex> result;
  if (!program.entry.valid()) return result;
  const Computation& entry = program.computations[program.entry.value];
  for (size_t i = entry.begin.value; i < entry.end.value; ++i) {
    if (program.text(program.instructions[i].opcode) == "parameter") result.emplace_back(i);
  }
  std::ranges::stable_sort(result, {}, [&](InstructionIndex i) { return program[i].number; });
  return result;
}

std::string NameOf(const Program& program, const Instruction& parameter) {
  const std::string_view name = program.text(parameter.op_name);
  return std::string(name.empty() ? program.text(parameter.name) : name);
}

std::optional<ShapeId> ResultShape(const Program& program) {
  if (!program.entry.valid()) return std::nullopt;
  const InstructionIndex root = program.computations[program.entry.value].root;
  if (!root.valid() || !program[root].shape.valid()) return std::nullopt;
  return program[root].shape;
}

// The elements of a tuple, or the shape itself.
std::vector<ShapeId> Elements(const Program& program, ShapeId shape) {
  const Shape& s = program.shape(shape);
  return s.type == ElementType::kTuple ? s.elements : std::vector{shape};
}

// Notes what differs between two shapes.
void CompareShapes(const Program& before, ShapeId was, const Program& after, ShapeId is, std::string what,
                   int64_t number, CompileReason& reason) {
  std::string old_text = before.ShapeWithoutLayout(was);
  std::string new_text = after.ShapeWithoutLayout(is);
  if (old_text == new_text) return;
  reason.types |= before.shape(was).type != after.shape(is).type;
  reason.shapes |= before.shape(was).dimensions != after.shape(is).dimensions;
  reason.changes.push_back({std::move(what), number, std::move(old_text), std::move(new_text)});
}

void CompareResults(const Program& before, const Program& after, CompileReason& reason) {
  const auto a = ResultShape(before);
  const auto b = ResultShape(after);
  if (!a || !b) return;
  const std::vector<ShapeId> old_ones = Elements(before, *a);
  const std::vector<ShapeId> new_ones = Elements(after, *b);
  if (old_ones.size() != new_ones.size()) {
    reason.changes.push_back(
        {"results", -1, std::to_string(old_ones.size()), std::to_string(new_ones.size())});
    return;
  }
  for (size_t i = 0; i < old_ones.size(); ++i) {
    CompareShapes(before, old_ones[i], after, new_ones[i],
                  old_ones.size() == 1 ? "result" : fmt::format("result {}", i), -1, reason);
  }
}

void AddSharding(const Program& before, const Instruction& was, const Program& after, const Instruction& is,
                 CompileReason& reason) {
  const auto text = [](std::string_view sharding) {
    return std::string(sharding.empty() ? "replicated" : sharding);
  };
  const bool parameter = after.text(is.opcode) == "parameter";
  const auto sharding = [&](const Program& program, const Instruction& instruction) {
    return text(parameter ? program.ShardingOf(instruction) : program.text(instruction.sharding));
  };
  reason.changes.push_back({fmt::format("sharding of {}", NameOf(after, is)), parameter ? is.number : -1,
                            sharding(before, was), sharding(after, is)});
}

void AddConstant(const Program& before, const Instruction& was, const Program& after, const Instruction& is,
                 CompileReason& reason) {
  const std::string_view old_text = before.text(was.literal);
  const std::string_view new_text = after.text(is.literal);
  if (old_text != new_text) {
    reason.changes.push_back({"constant", -1, std::string(old_text), std::string(new_text)});
  } else {
    reason.changes.push_back({fmt::format("constant of {}", after.ShapeWithoutLayout(is.shape)), -1, "", ""});
  }
}

// Of programs that take and return the same.
void CompareInside(const Program& before, const Program& after, CompileReason& reason) {
  const ProgramDifference difference = FindDifference(before, after);
  switch (difference.kind) {
    case ProgramDifference::Kind::kNone:
      reason.cause = CompileCause::kSame;
      break;
    case ProgramDifference::Kind::kOther:
      reason.cause = CompileCause::kOther;
      break;
    case ProgramDifference::Kind::kConstants:
      reason.cause = CompileCause::kConstant;
      AddConstant(before, before[difference.first], after, after[difference.first], reason);
      break;
    case ProgramDifference::Kind::kSharding:
      reason.cause = CompileCause::kSharding;
      if (difference.first.valid()) {
        AddSharding(before, before[difference.first], after, after[difference.first], reason);
      } else {
        reason.changes.push_back({"devices", -1, fmt::format("{}", fmt::join(before.device_ids, ",")),
                                  fmt::format("{}", fmt::join(after.device_ids, ","))});
      }
      break;
  }
}

// When the host first launched each program; nullopt: not in this capture.
std::vector<std::optional<Ps>> FirstLaunches(const HostView& host) {
  const Trace& trace = host.trace();
  std::vector<std::optional<Ps>> first(trace.programs().size());
  std::vector<bool> seen;
  for (const Device& device : host.devices) {
    for (const TrackId id : device.work) {
      const Track& track = trace.track(id);
      seen.assign(first.size(), false);
      for (size_t i = 0; i < track.size(); ++i) {
        const InstructionRef ref = trace.attribution(track.args(EventIndex(i))).instruction;
        if (!ref.program.valid() || seen[ref.program.value]) continue;
        const std::optional<Ps> launch = host.launches.Find(device, id, EventIndex(i));
        if (!launch) continue;
        seen[ref.program.value] = true;
        std::optional<Ps>& earliest = first[ref.program.value];
        if (!earliest || *launch < *earliest) earliest = launch;
      }
    }
  }
  return first;
}

constexpr uint32_t kNone = 0xffffffff;

// The programs of one name, and the tasks that compiled one of that name, both in order.
struct Namesakes {
  std::vector<uint32_t> tasks;     // by begin
  std::vector<uint32_t> programs;  // by id
};

// What tells programs of one name apart before their instructions do.
struct Signature {
  SourceLines lines;
  std::vector<std::string> takes;  // shapes of the parameters
  bool differentiates = false;
};

std::vector<std::string> Taken(const Program& program) {
  std::vector<std::string> shapes;
  for (const InstructionIndex i : Parameters(program)) {
    const ShapeId shape = program[i].shape;
    shapes.push_back(shape.valid() ? program.ShapeWithoutLayout(shape) : "");
  }
  return shapes;
}

// jit(loss) and jit(value_and_grad(loss)) have one name and the same lines, and are two functions.
bool Differentiates(const Program& program) {
  return std::ranges::any_of(program.instructions, [&](const Instruction& instruction) {
    return program.text(instruction.op_name).find("jvp(") != std::string_view::npos;
  });
}

class Matcher {
 public:
  Matcher(const HostView& host, const std::vector<CompileTask>& tasks)
      : programs_(host.trace().programs()), tasks_(tasks), program_of_(tasks.size(), kNone) {
    numbered_ = std::ranges::all_of(programs_, [](const Program& p) { return p.id <= 0xffffffff; });
    const std::vector<std::optional<Ps>> launches = FirstLaunches(host);
    std::map<std::string_view, Namesakes> by_name;
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (!tasks[i].module.empty()) by_name[tasks[i].module].tasks.push_back(static_cast<uint32_t>(i));
    }
    for (size_t p = 0; p < programs_.size(); ++p) {
      const auto found = by_name.find(programs_[p].name);
      if (found != by_name.end()) found->second.programs.push_back(static_cast<uint32_t>(p));
    }
    for (auto& [name, same] : by_name) {
      std::ranges::sort(same.programs, {}, [&](uint32_t p) { return programs_[p].id; });
      Match(same, launches);
      FindBefore(same);
    }
  }

  uint32_t program(size_t task) const { return program_of_[task]; }
  uint32_t before(size_t task) const {
    const auto found = before_.find(static_cast<uint32_t>(task));
    return found == before_.end() ? kNone : found->second;
  }
  // Something of that name was compiled before it in the capture, of which there is no HLO.
  bool before_is_missing(size_t task) const { return missing_before_.contains(static_cast<uint32_t>(task)); }

 private:
  void Match(const Namesakes& same, const std::vector<std::optional<Ps>>& launches) {
    std::vector<uint32_t> by_launch;
    for (const uint32_t p : same.programs) {
      if (launches[p]) by_launch.push_back(p);
    }
    std::ranges::stable_sort(by_launch, {}, [&](uint32_t p) { return *launches[p]; });
    std::set<uint32_t> used;
    for (size_t i = 0; i < same.tasks.size(); ++i) {
      const CompileTask& task = tasks_[same.tasks[i]];
      Ps until = kMaxTime;
      if (i + 1 < same.tasks.size()) until = tasks_[same.tasks[i + 1]].span.begin;
      const auto next =
          std::ranges::lower_bound(by_launch, task.span.end, {}, [&](uint32_t p) { return *launches[p]; });
      if (next == by_launch.end() || *launches[*next] >= until) continue;
      program_of_[same.tasks[i]] = *next;
      used.insert(*next);
    }
    if (!numbered_) return;
    // From the newest back: what was not launched is still numbered between its neighbours.
    uint64_t limit = 0xffffffffffffffff;
    for (size_t i = same.tasks.size(); i-- > 0;) {
      uint32_t& mine = program_of_[same.tasks[i]];
      for (size_t p = same.programs.size(); mine == kNone && p-- > 0;) {
        if (programs_[same.programs[p]].id < limit && !used.contains(same.programs[p]))
          mine = same.programs[p];
      }
      if (mine == kNone) break;
      used.insert(mine);
      limit = programs_[mine].id;
    }
  }

  void FindBefore(const Namesakes& same) {
    std::map<uint32_t, Signature> signatures;
    for (const uint32_t p : same.programs)
      signatures[p] = {LinesOf(programs_[p]), Taken(programs_[p]), Differentiates(programs_[p])};
    std::vector<uint32_t> compiled;  // by the tasks so far
    bool missing = false;
    for (const uint32_t task : same.tasks) {
      const uint32_t mine = program_of_[task];
      if (missing) missing_before_.insert(task);
      missing = mine == kNone && tasks_[task].backend.has_value();
      if (mine == kNone) continue;
      std::span<const uint32_t> earlier = compiled;
      if (numbered_) earlier = {same.programs.begin(), std::ranges::find(same.programs, mine)};
      if (const uint32_t before = Nearest(earlier, mine, signatures); before != kNone) before_[task] = before;
      compiled.push_back(mine);
    }
  }

  // The last one of the same function that is the same program, else the last that takes the same: whatever
  // came between is then no reason to compile it again. Else the last one of the function.
  uint32_t Nearest(std::span<const uint32_t> earlier, uint32_t mine,
                   const std::map<uint32_t, Signature>& signatures) const {
    constexpr int kLookedInto = 32;  // a function may be compiled thousands of times
    const Signature& own = signatures.at(mine);
    uint32_t last = kNone;
    uint32_t takes_the_same = kNone;
    int looked_into = 0;
    for (size_t i = earlier.size(); i-- > 0 && looked_into < kLookedInto;) {
      if (earlier[i] == mine) continue;
      const Signature& other = signatures.at(earlier[i]);
      const bool same = other.takes == own.takes;
      if ((!same && last != kNone) || !MayBeOneFunction(other.lines, own.lines)) continue;
      if (other.differentiates != own.differentiates) continue;
      if (last == kNone) last = earlier[i];
      if (!same) continue;
      if (takes_the_same == kNone) takes_the_same = earlier[i];
      ++looked_into;
      if (Compare(programs_[earlier[i]], programs_[mine]).cause == CompileCause::kSame) return earlier[i];
    }
    return takes_the_same != kNone ? takes_the_same : last;
  }

  std::span<const Program> programs_;
  const std::vector<CompileTask>& tasks_;
  bool numbered_ = false;
  std::vector<uint32_t> program_of_;     // by task
  std::map<uint32_t, uint32_t> before_;  // task, program
  std::set<uint32_t> missing_before_;    // tasks
};

}  // namespace

std::string_view Name(CompileCause cause) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "first", "shape", "type", "parameters", "result", "sharding", "constant", "same", "other", "unknown"};
  return kNames[static_cast<size_t>(cause)];
}

CompileReason Compare(const Program& before, const Program& after) {
  CompileReason reason;
  reason.program = after.id;
  reason.compared_with = before.id;
  const std::vector<InstructionIndex> old_ones = Parameters(before);
  const std::vector<InstructionIndex> new_ones = Parameters(after);
  if (old_ones.size() != new_ones.size()) {
    reason.cause = CompileCause::kParameters;
    reason.changes.push_back(
        {"parameters", -1, std::to_string(old_ones.size()), std::to_string(new_ones.size())});
    return reason;
  }
  for (size_t i = 0; i < new_ones.size(); ++i) {
    const Instruction& was = before[old_ones[i]];
    const Instruction& is = after[new_ones[i]];
    if (!was.shape.valid() || !is.shape.valid()) continue;
    CompareShapes(before, was.shape, after, is.shape, NameOf(after, is), is.number, reason);
  }
  if (!reason.changes.empty()) {
    reason.cause = reason.types && !reason.shapes ? CompileCause::kType : CompileCause::kShape;
    return reason;
  }
  CompareResults(before, after, reason);
  if (!reason.changes.empty()) {
    reason.cause = CompileCause::kResult;
    return reason;
  }
  for (size_t i = 0; i < new_ones.size(); ++i) {
    const Instruction& was = before[old_ones[i]];
    const Instruction& is = after[new_ones[i]];
    if (before.ShardingOf(was) != after.ShardingOf(is)) AddSharding(before, was, after, is, reason);
  }
  // With other shardings other instructions follow, so these are the cause.
  if (reason.changes.empty()) {
    CompareInside(before, after, reason);
  } else {
    reason.cause = CompileCause::kSharding;
  }
  return reason;
}

std::vector<CompileReason> FindReasons(const HostView& host, const std::vector<CompileTask>& tasks) {
  if (tasks.empty()) return {};
  const Matcher matcher(host, tasks);
  const std::span<const Program> programs = host.trace().programs();
  std::vector<CompileReason> reasons(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    const uint32_t program = matcher.program(i);
    if (program == kNone) continue;
    const uint32_t before = matcher.before(i);
    if (matcher.before_is_missing(i)) {
      reasons[i].program = programs[program].id;
    } else if (before != kNone) {
      reasons[i] = Compare(programs[before], programs[program]);
    } else {
      reasons[i].cause = CompileCause::kFirst;
      reasons[i].program = programs[program].id;
    }
  }
  return reasons;
}

}  // namespace gait::analyze
