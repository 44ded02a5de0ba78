#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// A kernel with much shared memory, or a grid of few blocks.
TEST(LowOccupancyRule, SpeaksOfKernelsThatLeaveTheDeviceEmpty) {
  const auto found = [](const std::string& details) {
    ProgramMaker program("jit_f");
    const InstructionIndex sine = program.Add("sine.1", "sine", "jit(f)/sin");
    program.SetCost(sine, 1e6, 1e7);
    TestTraceMaker maker;
    maker.builder().AddProgram(program.Finish());
    const auto stream = maker.Stream(maker.Gpu(0, {{"gpu_device_name", std::string("NVIDIA H200")},
                                                   {"compute_cap_major", 9},
                                                   {"compute_cap_minor", 0},
                                                   {"core_count", 132}}),
                                     7);
    for (int64_t i = 0; i < 4; ++i) {
      maker.Event(stream, 100 * i * kMicro, (100 * i + 90) * kMicro, "sine_kernel",
                  {{"hlo_op", std::string("sine.1")}, {"kernel_details", details}});
    }
    const auto run = maker.Finish({{"sine.1", {ProgramIndex(0), sine}}});
    return FindingsOf(*RunView::Make(*run, {}), "low_occupancy");
  };
  const auto narrow = found("regs:16 static_shared:200000 dynamic_shared:0 grid:4096,1,1 block:128,1,1");
  ASSERT_EQ(narrow.size(), 1u);
  EXPECT_NE(narrow[0].fix.find("XLA made these kernels"), std::string::npos);
  const auto small = found("regs:16 static_shared:0 dynamic_shared:0 grid:8,1,1 block:128,1,1");
  ASSERT_EQ(small.size(), 1u);
  EXPECT_NE(small[0].fix.find("more parallel work"), std::string::npos);
  EXPECT_EQ(small[0].evidence[0].text.find("occupancy"), std::string::npos);  // full where there are blocks
  EXPECT_TRUE(found("regs:16 static_shared:0 dynamic_shared:0 grid:4096,1,1 block:128,1,1").empty());
}

}  // namespace
}  // namespace gait::analyze
