// What `gait compile` says in sentences.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gait/analyze/question/compile/compile.h"

namespace gait::analyze {

// How much was compiled, how long that took, and why it was compiled again.
std::string CompileAnswer(std::span<const HostCompiles> hosts, bool of_steps);

// What rows have no room for.
std::vector<std::string> CompileNotes(std::span<const HostCompiles> hosts);

}  // namespace gait::analyze
