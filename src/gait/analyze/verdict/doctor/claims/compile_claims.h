// The idle time of compilations, shared by the rules about them.
#pragma once

#include <vector>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

struct CompileClaims {
  Claims claims;
  std::vector<const Compilation*> compilations;  // in order of begin
};

// With `again`, the compilations of functions that were compiled more than once in the capture; else all
// other compilations.
CompileClaims ClaimCompiles(const Patient& patient, bool again);

// A row of evidence about a compilation, with its place on the timeline where it is known.
Evidence CompileEvidence(const Patient& patient, const Compilation& one, std::string text);

}  // namespace gait::analyze
