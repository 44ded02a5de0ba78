// ScopeName: what an instruction's op_name says, taken apart.
//
//   jit(train_step)/transpose(jvp(layer_3))/attention/dot_general
//     root       jit(train_step)
//     pass       backward: something on the way was transposed
//     path       layer_3, attention
//     operation  dot_general: the last element is the primitive, not a scope
//
// Transformations (jvp, transpose, vmap, checkpoint) wrap names; they are taken off, and tell the pass:
//   rematerialised  inside a rematted_computation: the forward pass once more, for the backward pass
//   backward        inside transpose(...)
//   forward         inside jvp(...)
//   other           in none of these: inference, the optimizer, everything outside a gradient
// What only says how JAX calls functions (a `while` and its body, closed_call, shard_map, ...) is left out. A
// transposed name repeats the path it belongs to, in part: transpose(jvp(a))/b/jvp(a)/b is a/b.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/program.h"

namespace gait::analyze {

enum class Pass : uint8_t { kForward, kBackward, kRematerialised, kOther };
std::string_view Name(Pass pass);     // "forward", "backward", "rematerialised", "other"
std::string_view JaxName(Pass pass);  // "jvp", "transpose(jvp)", "rematted_computation", ""

struct ScopeName {
  std::string root;  // "jit(train_step)"; made from the program's name where op_name has none
  Pass pass = Pass::kOther;
  std::vector<std::string> path;  // outermost first; empty: in no named scope
  std::string operation;          // "dot_general"; empty: unknown

  // "jit(train_step)/jvp/layer_3/attention": the root, the pass as JAX calls it, the path.
  std::string Text() const;
};

// Where the path `ends_in_scope`, it has no operation.
ScopeName ParseScope(std::string_view op_name, std::string_view program_name, bool ends_in_scope = false);

// "jit(f)/jvp(a/b)/add" as its three elements; of several paths those of the first.
std::vector<std::string_view> PathElements(std::string_view op_name);

// The scopes of a program's instructions. One that the compiler left nameless has the scope of what is inside
// it (trace/scope_path.h), else that of the first operand that has a name: what it copies, converts or
// reduces. The name of a parameter is none. Else that of the loop that takes it, or of the nearest caller of
// the computation it is in; else only the root, and no operation.
// The program must outlive this. Linear in it to make.
class ProgramScopes {
 public:
  explicit ProgramScopes(const Program& program);
  ScopeName Of(InstructionIndex instruction) const;

 private:
  ScopeName Parse(std::string_view op_name) const;
  // The nearest loop or caller with a name; invalid: there is none.
  InstructionIndex Around(InstructionIndex instruction) const;

  const Program& program_;
  std::string root_;                          // that the paths of its instructions have
  std::vector<InstructionIndex> loop_of_;     // by instruction: the loop that takes it, being nameless
  std::vector<InstructionIndex> callers_of_;  // by computation
};

// Of one instruction.
ScopeName ScopeOf(const Program& program, InstructionIndex instruction);

}  // namespace gait::analyze
