// Rule: one question a doctor asks. A rule is one file in rules/ and one line in registry.cc.
#pragma once

#include <span>
#include <string_view>

#include "gait/analyze/verdict/doctor/finding.h"
#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

struct Rule {
  std::string_view name;     // stable: "input"; its page is docs/rules/<name>.md
  std::string_view summary;  // a few words for the list
  Verdict (*check)(const Patient& patient);
  std::string_view explain;  // for --explain: when it speaks, and what its cost is
  // Instead of `check`, for a rule about the idle time that no finding of another rule claims.
  Verdict (*check_rest)(const Patient& patient, const Claims& unclaimed) = nullptr;
};

// All rules in the order of the list. Rules about the capture itself come first.
std::span<const Rule> AllRules();
const Rule* FindRule(std::string_view name);  // null: there is none

}  // namespace gait::analyze
