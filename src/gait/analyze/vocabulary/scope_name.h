// ScopeName: what an instruction's op_name says, taken apart.
//
//   jit(train_step)/transpose(jvp(layer_3))/attention/dot_general
//     root       jit(train_step)
//     pass       backward: something on the way was transposed
//     path       layer_3, attention
//     operation  dot_general: the last element is the primitive, not a scope
//
// Transformations (jvp, transpose, vmap, checkpoint) wrap names. They are taken off the name, and tell the
// pass:
//   rematerialised  inside a rematted_computation: the forward pass once more, for the backward pass
//   backward        inside transpose(...)
//   forward         inside jvp(...)
//   other           in none of these: inference, the optimizer, everything outside a gradient
// Elements that only say how JAX calls functions (a `while` and its body, closed_call, shard_map, ...) are
// left out. A transposed name repeats a part of its path: transpose(jvp(a))/b/jvp(a)/b is a/b.
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

// "jit(f)/jvp(a/b)/add" as its three elements. Where the name holds several paths, the elements of the first.
std::vector<std::string_view> PathElements(std::string_view op_name);

// The scopes of a program's instructions. An instruction that the compiler left nameless takes its scope from
// the first of these that has a name:
//   1. an instruction inside it (trace/scope_path.h)
//   2. its operands, the first one first: the instruction copies, converts or reduces an operand. The name of
//      a parameter does not count.
//   3. the loop that takes the instruction, or the nearest caller of the instruction's computation
// Else it has only the root, and no operation. The program must outlive this object. Linear in the program to
// make.
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

// The scope of one instruction.
ScopeName ScopeOf(const Program& program, InstructionIndex instruction);

}  // namespace gait::analyze
