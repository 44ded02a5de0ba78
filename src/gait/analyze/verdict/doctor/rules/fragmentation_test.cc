#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(FragmentationRule, SpeaksWhenMuchIsUsedAndTheRestIsScattered) {
  EXPECT_EQ(Found(Memory(850, 1), "fragmentation"), 1u);
  EXPECT_EQ(Found(Memory(850, 0), "fragmentation"), 0u);
  EXPECT_EQ(Found(Memory(400, 1), "fragmentation"), 0u);
}

}  // namespace
}  // namespace gait::analyze
