#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/test_devices.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(LowBandwidthRule, SpeaksOfLargeMessagesBelowTheLinksRate) {
  // 64 MiB in 1 ms: 67 GB/s of 450.
  const auto found = Found({.exchange = 1000}, "low_bandwidth");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 1 - 67.1 / 450, 0.01);
  EXPECT_TRUE(Found({.exchange = 200}, "low_bandwidth").empty());
  EXPECT_TRUE(Found({.exchange = 1000, .bytes = 1 << 20}, "low_bandwidth").empty());
}

TEST(LowBandwidthRule, KnowsTheLinksOfOneMachineAndNoNetwork) {
  const auto speaks = [](const char* first, const char* second) {
    LoadedRun run;
    for (const char* name : {first, second}) {
      TestCapture capture = Devices{.exchange = 1000}.Make();
      capture.hostnames = {name};
      run.hosts.push_back({"host" + std::to_string(run.hosts.size()), "", MakeTrace(std::move(capture))});
    }
    return !FindingsOf(*RunView::Make(run, {}), "low_bandwidth").empty();
  };
  EXPECT_TRUE(speaks("vm", "vm"));  // a process for each device
  EXPECT_FALSE(speaks("vm", "other"));
  EXPECT_FALSE(speaks("", ""));
}

}  // namespace
}  // namespace gait::analyze
