#include "gait/analyze/verdict/doctor/claims/device_balance.h"
#include "gait/analyze/verdict/doctor/rules/test_devices.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(SlowDeviceRule, SpeaksOfTheSameWorkThatTakesLonger) {
  const auto found = Found({.compute = 800}, "slow_device");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.2, 0.01);  // one waits 200 us, the other computes them longer
  EXPECT_TRUE(Found({.compute = 610}, "slow_device").empty());
  EXPECT_TRUE(Found({.compute = 800, .extra = true}, "slow_device").empty());
  EXPECT_EQ(Found({.compute = 800, .extra = true, .trifle = true}, "slow_device").size(), 1u);
}

TEST(SlowDeviceRule, DoesNotCompareDevicesThatShareCores) {
  EXPECT_TRUE(Found({.compute = 800, .kind = PlaneKind::kCpuDevice}, "slow_device").empty());
  EXPECT_EQ(Found({.compute = 800, .kind = PlaneKind::kCpuDevice}, "straggler").size(), 1u);
  // The only one of its host has the cores for itself.
  TestCapture alone = Devices{.kind = PlaneKind::kCpuDevice}.Make();
  alone.devices = 1;
  const TestView view(std::move(alone));
  const Result<Patient> patient = Examine(view.view);
  ASSERT_TRUE(patient);
  ASSERT_EQ(patient->overview.devices.size(), 1u);
  EXPECT_FALSE(SharesCores(patient->overview.devices[0]));
}

}  // namespace
}  // namespace gait::analyze
