#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// A GPU that idles, with XLA:CPU at work meanwhile or not, whose result is copied to the GPU.
TEST(CpuFallbackRule, SpeaksWhenTheCpuComputesWhileTheDeviceIdles) {
  const auto run = [](bool while_idle) {
    TestTraceMaker maker;
    const auto stream = maker.Stream(maker.Gpu(0), 7);
    const auto host = maker.Host();
    const auto thread = maker.Thread(host, 1, "python3");
    const auto cpu = maker.Thread(host, 2, "tf_XLAPjRtCpuClient/7");
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t t = 1000 * i * kMicro;
      maker.Event(thread, t, t + 900 * kMicro, "train", {{"step_num", i}});
      maker.Event(thread, t + 20 * kMicro, t + 490 * kMicro, "BatchedCopyToDeviceWithSharding: dispatch");
      maker.Event(thread, t + 500 * kMicro, t + 505 * kMicro, "cuLaunchKernel", {{"correlation_id", i}});
      maker.Event(stream, t + 510 * kMicro, t + 990 * kMicro, "kernel", {{"correlation_id", i}});
      const int64_t at = t + (while_idle ? 10 : 520) * kMicro;
      maker.Event(cpu, at, at + 400 * kMicro, "dot", {{"hlo_op", std::string("dot")}, {"device_ordinal", 0}});
    }
    return maker.Finish();
  };
  const auto with = run(true);
  const auto without = run(false);
  const auto view = *RunView::Make(*with, {});
  const auto found = FindingsOf(view, "cpu_fallback");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.4, 0.001);
  EXPECT_TRUE(FindingsOf(view, "host_to_device").empty());  // the copy waited for the CPU
  EXPECT_TRUE(FindingsOf(*RunView::Make(*without, {}), "cpu_fallback").empty());
}

TEST(CpuFallbackRule, SaysThatAnAcceleratorDidNothing) {
  const auto found = [](bool gpu) {
    TestTraceMaker maker;
    if (gpu) maker.Gpu(0);
    const auto device =
        maker.Track(maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0), 1, "ops", TrackKind::kOps);
    maker.Event(device, 0, 400 * kMicro, "dot");
    const auto run = maker.Finish();
    return FindingsOf(*RunView::Make(*run, {}), "cpu_fallback");
  };
  const auto beside_gpu = found(true);
  ASSERT_EQ(beside_gpu.size(), 1u);
  EXPECT_EQ(beside_gpu[0].title, "All of it ran on the CPU: the GPU did nothing");
  EXPECT_FALSE(beside_gpu[0].cost);
  EXPECT_TRUE(found(false).empty());
}

}  // namespace
}  // namespace gait::analyze
