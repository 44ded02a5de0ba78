#include <algorithm>
#include <tuple>
#include <vector>

#include "gait/analyze/verdict/doctor/rule.h"
#include "rules.inc"  // GAIT_RULES(RULE): RULE(kInputRule) ..., one for each file of rules/

namespace gait::analyze {

#define GAIT_DECLARE(rule) extern const Rule rule;
GAIT_RULES(GAIT_DECLARE)
#undef GAIT_DECLARE

std::span<const Rule> AllRules() {
  static const std::vector<Rule> kRules = [] {
#define GAIT_LIST(rule) rule,
    std::vector<Rule> rules = {GAIT_RULES(GAIT_LIST)};
#undef GAIT_LIST
    std::ranges::sort(rules, {}, [](const Rule& rule) { return std::tuple(rule.topic, rule.name); });
    return rules;
  }();
  return kRules;
}

const Rule* FindRule(std::string_view name) {
  const auto found = std::ranges::find(AllRules(), name, &Rule::name);
  return found == AllRules().end() ? nullptr : &*found;
}

}  // namespace gait::analyze
