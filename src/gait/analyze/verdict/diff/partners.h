// Partners: programs of two runs that are the same under different names. A function that was renamed, or
// rewritten for several devices, keeps its scopes and primitives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/verdict/diff/run_profile.h"

namespace gait::analyze {

struct Partners {
  std::string a, b;  // what each run calls the program

  std::string Name() const;  // the common name: "jit_f → jit_g"
};

// Of the programs that only one of the runs has. The pair with the most time in common is matched first; the
// time in common is the sum over scopes and operations of the smaller of the two shares of the step. Programs
// with nothing in common stay alone.
std::vector<Partners> FindPartners(const RunProfile& a, const RunProfile& b);

// "jvp/jit(step)/layer_0" -> "jvp/layer_0": a function computes the same when another function calls it.
std::string WithoutCalls(std::string_view scope);

}  // namespace gait::analyze
