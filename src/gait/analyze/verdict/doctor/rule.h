// Rule: one question a doctor asks. A rule is one file in rules/, with its test beside it: the build makes
// the list of rules from the names of the files, rules/tiny_kernels.cc defines kTinyKernelsRule.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gait/analyze/verdict/doctor/finding.h"
#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

// What a rule is about, in the order of the list.
enum class Topic : uint8_t { kCapture, kHost, kDevice, kDevices, kMemory, kRest };

struct Rule {
  std::string_view name;  // stable: "input"; its page is docs/rules/<name>.md
  Topic topic;
  std::string_view summary;    // a few words for the list
  bool avoidable = false;      // what it claims of operations need not be done
  std::string_view metrics{};  // of gait check, those that the rule can explain: "kernels launches"
  Verdict (*check)(const Patient& patient) = nullptr;
  // Instead of `check`, for a rule about the idle time that no finding of another rule claims.
  Verdict (*check_rest)(const Patient& patient, const Claims& unclaimed) = nullptr;
  std::string_view explain;  // for --explain: when it speaks, and what its cost is
};

// All rules, by topic and name.
std::span<const Rule> AllRules();
const Rule* FindRule(std::string_view name);  // null: there is none

}  // namespace gait::analyze
