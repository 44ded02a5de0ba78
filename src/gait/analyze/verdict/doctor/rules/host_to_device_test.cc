#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(HostToDeviceRule, NeedsACopy) {
  const auto loop = [](bool copies) {
    return TestLoop{.doing = "BufferFromHostBuffer",
                    .more =
                        [&, copies](GpuRun& run, double t) {
                          if (!copies) return;
                          const auto id = 500 + static_cast<int64_t>(t);
                          run.Host("python", t + 20, 5, "cuMemcpyHtoDAsync_v2", id);
                          run.Work(0, 9, t + 505, 5, "MemcpyH2D", id);
                        }}
        .Make();
  };
  GpuRun copies = loop(true);
  EXPECT_EQ(FindingsOf(copies.View(), "host_to_device").size(), 1u);
  GpuRun none = loop(false);
  EXPECT_TRUE(FindingsOf(none.View(), "host_to_device").empty());
}

TEST(HostToDeviceRule, TakesTheHostsOwnCopyForOne) {
  // A CPU shows no copy but the host's own work on the bytes; an empty device_put moves nothing.
  for (const char* thread : {"python", "tf_XLAPjRtCpuClient/1"}) {
    GpuRun moves = TestLoop{
        .doing = "PjRtClient::BufferFromHostBuffer", .more = [&](GpuRun& run, double t) {
          run.Host(thread, t + 5, 490, "Transpose");
        }}.Make();
    EXPECT_EQ(FindingsOf(moves.View(), "host_to_device").size(), 1u) << thread;
    EXPECT_TRUE(FindingsOf(moves.View(), "input").empty()) << thread;
  }
}

TEST(CopyRules, SpeakOfCopiesThatNothingHides) {
  EXPECT_EQ(Found(Copies("MemcpyH2D", false), "host_to_device"), 1u);
  EXPECT_EQ(Found(Copies("MemcpyH2D", true), "host_to_device"), 0u);
  EXPECT_EQ(Found(Copies("MemcpyD2H", false), "device_to_host"), 1u);
  EXPECT_EQ(Found(Copies("MemcpyD2H", true), "device_to_host"), 0u);
  EXPECT_EQ(Found(Copies("MemcpyD2H", false), "host_to_device"), 0u);
}

}  // namespace
}  // namespace gait::analyze
