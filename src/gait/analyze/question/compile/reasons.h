// Why a function was compiled again: the parameters, results and instructions of the new program, compared
// with an earlier program of the function. The earlier program is the last equal one, else the last one with
// equal parameters, else the last one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/question/compile/tasks.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

enum class CompileCause : uint8_t {
  kFirst,       // the capture holds no earlier program of the function
  kShape,       // of a parameter
  kType,        // element type of a parameter
  kParameters,  // another number of them
  kResult,      // same parameters, another result: a static argument decides its shape
  kSharding,    // the same, laid over the devices in another way
  kConstant,    // the same instructions, other constants: a static argument
  kSame,        // the same program: a new function object, a weak type, a cleared cache
  kOther,       // same parameters and result, other instructions
  kUnknown,     // the capture holds no HLO of it, or none of the one before
};
std::string_view Name(CompileCause cause);  // "first", "shape", ...

struct CompileChange {
  std::string what;     // "x", "args[0]", "result", "constant", "sharding of x"
  int64_t number = -1;  // of the parameter; -1: no parameter
  std::string before;   // "f32[8,64]", "0.1"; empty, as `after`: too large to be kept
  std::string after;
};

struct CompileReason {
  CompileCause cause = CompileCause::kUnknown;
  bool shapes = false;                    // of parameters or results: dimensions changed
  bool types = false;                     // the same of element types
  std::vector<CompileChange> changes;     // all of them; of constants and of shardings inside, the first
  std::optional<uint64_t> program;        // id of the compiled program
  std::optional<uint64_t> compared_with;  // id of the earlier one
};

// The reasons by task. The program of a task has the task's name, and its first launch followed the task.
// Where nothing was launched, it is the newest program that is left (programs are numbered in the order of
// compilation, except on TPUs).
std::vector<CompileReason> FindReasons(const HostView& host, const std::vector<CompileTask>& tasks);

// What changed from one program to the other.
CompileReason Compare(const Program& before, const Program& after);

}  // namespace gait::analyze
