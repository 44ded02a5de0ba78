#include <algorithm>
#include <vector>

#include "gait/analyze/verdict/doctor/rule.h"

// One line for each rule, in the order in which they are listed; the rule itself is in rules/.
#define GAIT_RULES(RULE)          \
  RULE(kNoDeviceRule)             \
  RULE(kProfilerErrorsRule)       \
  RULE(kIncompleteRule)           \
  RULE(kNoStepsRule)              \
  RULE(kPythonTracerRule)         \
  RULE(kCompileInWindowRule)      \
  RULE(kFirstStepRule)            \
  RULE(kInputRule)                \
  RULE(kHostToDeviceRule)         \
  RULE(kDeviceToHostRule)         \
  RULE(kHostSyncRule)             \
  RULE(kHostCallbackRule)         \
  RULE(kLaunchBoundRule)          \
  RULE(kCudaGraphsRule)           \
  RULE(kTinyKernelsRule)          \
  RULE(kBetweenStepsRule)         \
  RULE(kCheckpointRule)           \
  RULE(kGarbageCollectionRule)    \
  RULE(kRecompileRule)            \
  RULE(kCpuFallbackRule)          \
  RULE(kAttentionRule)            \
  RULE(kF32MatmulRule)            \
  RULE(kMatmulShapesRule)         \
  RULE(kDominantOpRule)           \
  RULE(kUnfusedChainRule)         \
  RULE(kLayoutCopiesRule)         \
  RULE(kProgramCopiesRule)        \
  RULE(kRematerialisationRule)    \
  RULE(kLowOccupancyRule)         \
  RULE(kExposedCommunicationRule) \
  RULE(kStragglerRule)            \
  RULE(kSlowDeviceRule)           \
  RULE(kLoadImbalanceRule)        \
  RULE(kLowBandwidthRule)         \
  RULE(kMemoryCapacityRule)       \
  RULE(kFragmentationRule)        \
  RULE(kUnexplainedIdleRule)

namespace gait::analyze {

#define GAIT_DECLARE(rule) extern const Rule rule;
GAIT_RULES(GAIT_DECLARE)
#undef GAIT_DECLARE

std::span<const Rule> AllRules() {
#define GAIT_LIST(rule) rule,
  static const std::vector<Rule> kRules = {GAIT_RULES(GAIT_LIST)};
#undef GAIT_LIST
  return kRules;
}

const Rule* FindRule(std::string_view name) {
  const auto found = std::ranges::find(AllRules(), name, &Rule::name);
  return found == AllRules().end() ? nullptr : &*found;
}

}  // namespace gait::analyze
