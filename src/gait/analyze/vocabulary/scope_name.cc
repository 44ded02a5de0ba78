#include "gait/analyze/vocabulary/scope_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gait/trace/scope_path.h"

namespace gait::analyze {
namespace {

constexpr int kMostWrappers = 64;
constexpr int kMostOperands = 16;
constexpr int kMostCallers = 64;

// Names that say how a function is called, not where in the model it is.
constexpr std::array<std::string_view, 14> kCalls = {"closed_call",
                                                     "eval_jaxpr",
                                                     "core_call",
                                                     "checkpoint",
                                                     "remat",
                                                     "remat2",
                                                     "custom_jvp_call",
                                                     "custom_vjp_call",
                                                     "custom_vjp_call_jaxpr",
                                                     "custom_lin",
                                                     "shard_map",
                                                     "named_call",
                                                     "pjit",
                                                     "rematted_computation"};

bool IsCall(std::string_view name) { return std::ranges::find(kCalls, name) != kCalls.end(); }

// Calls f(element) for the elements of a path: separators inside brackets do not count.
template <typename F>
void ForEachElement(std::string_view path, F f) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= path.size(); ++i) {
    const char c = i < path.size() ? path[i] : '/';
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c != '/' || (depth > 0 && i < path.size())) continue;
    if (i > begin) f(path.substr(begin, i - begin));
    begin = i + 1;
  }
}

// An op_name may be several, joined with semicolons: the first one is as good as any.
std::string_view FirstName(std::string_view op_name) { return op_name.substr(0, op_name.find(';')); }

struct Wrapped {
  std::string_view wrapper;  // "jvp"; empty: the element is a plain name
  std::string_view inner;
};

Wrapped Unwrap(std::string_view element) {
  const size_t open = element.find('(');
  if (open == std::string_view::npos || element.back() != ')') return {{}, element};
  return {element.substr(0, open), element.substr(open + 1, element.size() - open - 2)};
}

bool IsFunction(std::string_view wrapper) {
  return wrapper == "jit" || wrapper == "pjit" || wrapper == "pmap" || wrapper == "xmap";
}

class Parser {
 public:
  explicit Parser(ScopeName& out) : out_(out) {}

  void Element(std::string_view element, bool last) {
    bool transformed = false;
    std::string_view rest = element;
    for (int i = 0; i < kMostWrappers; ++i) {
      const Wrapped wrapped = Unwrap(rest);
      if (wrapped.wrapper == "jvp") {
        jvp_ = true;
      } else if (wrapped.wrapper == "transpose") {
        transposed_ = true;
      } else if (wrapped.wrapper != "vmap" && wrapped.wrapper != "checkpoint" && wrapped.wrapper != "remat") {
        break;
      }
      transformed = true;
      rest = wrapped.inner;
    }
    if (last && !transformed && !IsFunction(Unwrap(rest).wrapper)) {
      rematted_ |= rest == "rematted_computation";
      if (!IsCall(rest)) out_.operation = rest;
      return;
    }
    ForEachElement(rest, [&](std::string_view name) {
      Scope(name, transformed);
      transformed = false;
    });
  }

  Pass pass() const {
    if (rematted_) return Pass::kRematerialised;
    if (transposed_) return Pass::kBackward;
    return jvp_ ? Pass::kForward : Pass::kOther;
  }

 private:
  void Scope(std::string_view name, bool transformed) {
    const bool in_loop = std::exchange(after_while_, name == "while");
    if (in_loop && (name == "body" || name == "cond")) {
      if (!out_.path.empty() && out_.path.back() == "while") out_.path.pop_back();
      return;
    }
    rematted_ |= name == "rematted_computation";
    if (IsCall(name)) return;
    if (name == "jit(main)" && out_.path.empty()) return;  // as old versions of JAX wrote every path
    if (out_.root.empty() && IsFunction(Unwrap(name).wrapper)) {
      out_.root = name;
      return;
    }
    if (transformed) {
      // Said before, outside the transformation: the path goes on from there.
      const auto said = std::ranges::find(out_.path, name);
      out_.path.erase(said, out_.path.end());
    }
    out_.path.emplace_back(name);
  }

  ScopeName& out_;
  bool jvp_ = false;
  bool transposed_ = false;
  bool rematted_ = false;
  bool after_while_ = false;
};

std::string RootOf(std::string_view program_name) {
  for (const std::string_view function : {"jit_", "pmap_"}) {
    if (program_name.starts_with(function) && program_name.size() > function.size()) {
      return fmt::format("{}({})", function.substr(0, function.size() - 1),
                         program_name.substr(function.size()));
    }
  }
  return std::string(program_name);
}

}  // namespace

std::string_view Name(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kBackward:
      return "backward";
    case Pass::kRematerialised:
      return "rematerialised";
    case Pass::kOther:
      return "other";
  }
  return "other";
}

std::string_view JaxName(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "jvp";
    case Pass::kBackward:
      return "transpose(jvp)";
    case Pass::kRematerialised:
      return "rematted_computation";
    case Pass::kOther:
      return "";
  }
  return "";
}

std::string ScopeName::Text() const {
  std::string text = root;
  if (pass != Pass::kOther) text += fmt::format("/{}", JaxName(pass));
  for (const std::string& name : path) text += "/" + name;
  return text;
}

std::vector<std::string_view> PathElements(std::string_view op_name) {
  std::vector<std::string_view> elements;
  ForEachElement(FirstName(op_name), [&](std::string_view element) { elements.push_back(element); });
  return elements;
}

ScopeName ParseScope(std::string_view op_name, std::string_view program_name, bool ends_in_scope) {
  ScopeName scope;
  const std::vector<std::string_view> elements = PathElements(op_name);
  Parser parser(scope);
  for (size_t i = 0; i < elements.size(); ++i) {
    parser.Element(elements[i], i + 1 == elements.size() && !ends_in_scope);
  }
  scope.pass = parser.pass();
  if (scope.root.empty()) scope.root = RootOf(program_name);
  return scope;
}

ProgramScopes::ProgramScopes(const Program& program)
    : program_(program), loop_of_(program.instructions.size()), callers_of_(program.computations.size()) {
  std::vector<InstructionIndex> pending;
  const auto named = [&](InstructionIndex i) { return !program.text(program[i].op_name).empty(); };
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionIndex at(i);
    const Instruction& instruction = program.instructions[i];
    if (root_.empty() && named(at)) root_ = ParseScope(program.text(instruction.op_name), {}).root;
    for (const ComputationIndex called : instruction.called) callers_of_[called.value] = at;
    if (program.text(instruction.opcode) != "while" || !named(at)) continue;
    pending.assign(instruction.operands.begin(), instruction.operands.end());
    while (!pending.empty()) {
      const InstructionIndex operand = pending.back();
      pending.pop_back();
      if (named(operand) || loop_of_[operand.value].valid()) continue;
      loop_of_[operand.value] = at;
      const Instruction& taken = program[operand];
      pending.insert(pending.end(), taken.operands.begin(), taken.operands.end());
    }
  }
  if (root_.empty()) root_ = RootOf(program.name);
}

ScopeName ProgramScopes::Parse(std::string_view op_name) const {
  ScopeName scope = ParseScope(op_name, {});
  if (scope.root.empty()) scope.root = root_;
  return scope;
}

InstructionIndex ProgramScopes::Around(InstructionIndex instruction) const {
  if (loop_of_[instruction.value].valid()) return loop_of_[instruction.value];
  InstructionIndex at = instruction;
  for (int i = 0; i < kMostCallers; ++i) {
    at = callers_of_[program_[at].computation.value];
    if (!at.valid() || !program_.text(program_[at].op_name).empty()) return at;
  }
  return {};
}

ScopeName ProgramScopes::Of(InstructionIndex instruction) const {
  InstructionIndex at = instruction;
  for (int i = 0; i < kMostOperands && program_.text(program_[at].opcode) != "parameter"; ++i) {
    const std::string_view path = program_.text(ScopePath(program_, at));
    if (!path.empty()) return Parse(path);
    if (program_[at].operands.empty()) break;
    at = program_[at].operands[0];
  }
  const InstructionIndex around = Around(instruction);
  if (around.valid()) return Parse(program_.text(program_[around].op_name));
  return Parse({});
}

ScopeName ScopeOf(const Program& program, InstructionIndex instruction) {
  return ProgramScopes(program).Of(instruction);
}

}  // namespace gait::analyze
