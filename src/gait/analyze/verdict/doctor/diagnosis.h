// Diagnosis: all rules over one run, the findings ranked.
//
// Findings are ranked by severity, which follows from the cost, and within a severity by cost. A finding
// without a cost comes last of its severity. But a finding that makes the capture worthless (high, without a
// cost) comes before all others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/verdict/doctor/balance.h"
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
  Balance balance;  // with the claims of all rules, chosen or not
  // [n] is the step with the first n findings fixed; [0] is the step as it is.
  std::vector<Ps> step_with_fixed;

  // How many of the first findings are worth fixing together: findings with a cost that are at least a
  // warning.
  size_t worth_fixing() const;
};

// The rules to ask: all but `ignore`, or only `only`. A usage error for a name that is no rule.
struct RuleChoice {
  std::vector<std::string> only{};
  std::vector<std::string> ignore{};
};
Result<Diagnosis> Diagnose(const Patient& patient, const RuleChoice& choice = {});

}  // namespace gait::analyze
