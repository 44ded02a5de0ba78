// Partners: programs of two runs that are the same under other names. A function that was renamed, or that a
// person wrote again for several devices, keeps the scopes and primitives of what it computes.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gait/analyze/verdict/diff/run_profile.h"

namespace gait::analyze {

// Of programs that only one of the runs has: the name to list them under, "jit_f → jit_g" for both. The pair
// with the most time in common comes first: over scopes and operations, the lesser of the two sides' shares
// of the step. Programs with nothing in common stay alone.
std::map<std::string, std::string> FindPartners(const RunProfile& a, const RunProfile& b);

// "jvp/jit(step)/layer_0" -> "jvp/layer_0": a function keeps what it computes when another one calls it.
std::string WithoutCalls(std::string_view scope);

}  // namespace gait::analyze
