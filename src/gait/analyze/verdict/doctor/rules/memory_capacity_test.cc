#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(MemoryCapacityRule, SpeaksFromNinetyPercentOn) {
  EXPECT_EQ(Found(Memory(950, 0), "memory_capacity"), 1u);
  EXPECT_EQ(Found(Memory(850, 0), "memory_capacity"), 0u);
}

}  // namespace
}  // namespace gait::analyze
