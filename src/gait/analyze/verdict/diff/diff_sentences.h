// What a comparison says in words.
#pragma once

#include <string>

#include "gait/analyze/verdict/diff/diff.h"

namespace gait::analyze {

// "19.3 ms a step".
std::string StepText(const RunProfile& run);

// How the step changed, and where the host compiles in the steps what is left without that.
std::string Answer(const RunDiff& diff);

// What graphs changed: how often the host had to launch, and what of it reached the step; empty: nothing.
std::string GraphSentence(const RunDiff& diff);

}  // namespace gait::analyze
