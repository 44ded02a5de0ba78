// Which programs are of one function. JAX compiles a function again for other shapes, types and static
// arguments.
//
//   function   the programs of one name that share a line of source with the first of them. Two functions may
//              share a name: two lambdas, two methods called `step`. Where the lines of one program are not
//              known, the name alone tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

// Lines of the source that a program was made from: file and number. The texts are the program's own strings.
using SourceLines = std::set<std::pair<std::string_view, int32_t>>;
SourceLines LinesOf(const Program& program);
bool MayBeOneFunction(const SourceLines& a, const SourceLines& b);

// Numbers functions in the order in which they are asked for. The trace must outlive the object.
class FunctionNumbers {
 public:
  explicit FunctionNumbers(const Trace& trace) : trace_(trace) {}

  // The number of a program's function. Linear in the program's instructions at the first call for it,
  // logarithmic after that.
  uint64_t Of(std::string_view name, std::optional<uint64_t> program_id);

 private:
  struct Function {
    uint64_t number;
    SourceLines lines;
  };

  const Trace& trace_;
  std::map<std::pair<std::string, std::optional<uint64_t>>, uint64_t> known_;
  std::map<std::string, std::vector<Function>> of_name_;
  uint64_t next_ = 0;
};

}  // namespace gait::analyze
