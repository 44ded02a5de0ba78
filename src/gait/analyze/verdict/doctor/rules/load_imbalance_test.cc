#include "gait/analyze/verdict/doctor/rules/test_devices.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(LoadImbalanceRule, SpeaksOfUnequalWork) {
  EXPECT_EQ(Found({.compute = 800, .extra = true}, "load_imbalance").size(), 1u);
  EXPECT_TRUE(Found({.compute = 800}, "load_imbalance").empty());
  EXPECT_TRUE(Found({.compute = 605, .extra = true}, "load_imbalance").empty());
}

}  // namespace
}  // namespace gait::analyze
