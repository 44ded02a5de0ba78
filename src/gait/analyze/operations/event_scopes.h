// EventScopes: the scopes that events name in their arguments, for events whose HLO is not in the capture.
//
//   name     of a kernel outside CUDA graphs: the op_name of its instruction; of a fusion the path that all
//            instructions inside share. The path may end in a primitive or in a scope: in a scope, where the
//            last element has other elements below it in some name of the capture.
//   prefix   the begin of the names of the kernel's program, where it was taken off them
//   tf_op    the path on a TPU, with a colon behind it
#pragma once

#include <optional>
#include <set>
#include <string>

#include "gait/analyze/vocabulary/scope_name.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

class EventScopes {
 public:
  // O(argument sets without an instruction).
  explicit EventScopes(const Trace& trace);

  // nullopt: the arguments name no scope, or only the program.
  std::optional<ScopeName> Of(ArgSetId set) const;

 private:
  std::string PathOf(ArgSetId set) const;

  const Trace& trace_;
  std::set<std::string, std::less<>> scopes_;  // elements that others stand below
};

}  // namespace gait::analyze
