#include "gait/analyze/doctor/diagnosis.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

Result<void> CheckNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (FindRule(name) == nullptr) {
      return UsageError(fmt::format("there is no rule '{}'.", name), "gait doctor --list shows the rules.");
    }
  }
  return {};
}

// Costs decide severities, so within what has a cost this is the order of costs.
bool Before(const Finding& a, const Finding& b) {
  const auto key = [](const Finding& f) {
    return std::tuple(!f.cost && f.severity == Severity::kHigh, f.severity, f.cost.value_or(Ps()));
  };
  return key(a) > key(b);
}

}  // namespace

size_t Diagnosis::worth_fixing() const {
  size_t last = 0;
  for (size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].cost && findings[i].severity >= Severity::kWarning) last = i + 1;
  }
  return last;
}

Result<Diagnosis> Diagnose(const Patient& patient, const RuleChoice& choice) {
  GAIT_CHECK_OK(CheckNames(choice.only));
  GAIT_CHECK_OK(CheckNames(choice.ignore));
  Diagnosis diagnosis;
  for (const Rule& rule : AllRules()) {
    const auto named = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, rule.name) != names.end();
    };
    if ((!choice.only.empty() && !named(choice.only)) || named(choice.ignore)) continue;
    Verdict verdict = rule.check(patient);
    diagnosis.rules.push_back({&rule, verdict.findings.size(), std::move(verdict.unchecked)});
    for (Finding& finding : verdict.findings) {
      finding.rule = rule.name;
      diagnosis.findings.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(diagnosis.findings, Before);
  std::vector<const Claims*> fixed;
  diagnosis.step_with_fixed.push_back(patient.ledger.step());
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    Finding& finding = diagnosis.findings[i];
    for (size_t j = 0; j < diagnosis.findings.size(); ++j) {
      if (i != j && Ledger::Overlap(finding.claims, diagnosis.findings[j].claims)) {
        finding.overlaps.push_back(diagnosis.findings[j].rule);
      }
    }
    fixed.push_back(&finding.claims);
    diagnosis.step_with_fixed.push_back(patient.ledger.StepWithout(fixed));
  }
  return diagnosis;
}

}  // namespace gait::analyze
