// Diagnosis: all rules over one run, the findings ranked.
//
// Ranked by severity, which follows from the cost, and by cost within it. Findings without a cost come after
// those of their severity, but what makes the capture worthless (high without a cost) comes before
// everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/verdict/doctor/finding.h"
#include "gait/analyze/verdict/doctor/patient.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {

struct RuleOutcome {
  const Rule* rule;
  size_t findings = 0;
  std::string unchecked;  // why it could not be checked; empty: it was
};

struct Diagnosis {
  std::vector<Finding> findings;  // ranked
  std::vector<RuleOutcome> rules;
  // By number n of findings: the step with the first n fixed; [0] is the step as it is.
  std::vector<Ps> step_with_fixed;

  // The first findings that are worth fixing together: those that are at least a warning and have a cost.
  size_t worth_fixing() const;
};

// Which rules: all but `ignore`, or only `only`. A usage error for a name that is no rule.
struct RuleChoice {
  std::vector<std::string> only{};
  std::vector<std::string> ignore{};
};
Result<Diagnosis> Diagnose(const Patient& patient, const RuleChoice& choice = {});

}  // namespace gait::analyze
