#include "gait/analyze/verdict/doctor/diagnosis.h"

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
  const auto chosen = [&](const Rule& rule) {
    const auto named = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, rule.name) != names.end();
    };
    return (choice.only.empty() || named(choice.only)) && !named(choice.ignore);
  };
  if (std::ranges::none_of(AllRules(), chosen)) return UsageError("no rule is left to check.");
  const auto add = [&](const Rule& rule, Verdict verdict) {
    if (!chosen(rule)) return;
    diagnosis.rules.push_back({&rule, verdict.findings.size(), std::move(verdict.unchecked)});
    for (Finding& finding : verdict.findings) {
      finding.rule = rule.name;
      diagnosis.findings.push_back(std::move(finding));
    }
  };
  // All rules look: what those that were not asked for explain is explained.
  std::vector<RuleClaims> claims;
  for (const Rule& rule : AllRules()) {
    if (rule.check == nullptr) continue;
    Verdict verdict = rule.check(patient);
    for (const Finding& finding : verdict.findings) claims.push_back({&rule, finding.claims});
    claims.push_back({&rule, std::move(verdict.too_little), false});
    add(rule, std::move(verdict));
  }
  std::vector<const Claims*> all;
  for (const RuleClaims& one : claims) {
    if (one.found) all.push_back(&one.claims);
  }
  diagnosis.balance = MakeBalance(patient, claims);
  for (const Rule& rule : AllRules()) {
    if (rule.check_rest != nullptr) add(rule, rule.check_rest(patient, patient.ledger.Unclaimed(all)));
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
