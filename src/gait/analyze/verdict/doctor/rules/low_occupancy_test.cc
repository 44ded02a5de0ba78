#include <tuple>

#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// What the rule finds of an operation whose kernels have these names and launches, one after the other.
std::vector<Finding> FoundWith(const std::string& opcode,
                               const std::vector<std::tuple<std::string, std::string, int64_t>>& kernels) {
  ProgramMaker program("jit_f");
  const InstructionIndex sine = program.Add("sine.1", opcode, "jit(f)/sin");
  program.SetCost(sine, 1e6, 1e7);
  TestTraceMaker maker;
  maker.builder().AddProgram(program.Finish());
  const auto stream = maker.Stream(maker.Gpu(0, {{"gpu_device_name", std::string("NVIDIA H200")},
                                                 {"compute_cap_major", 9},
                                                 {"compute_cap_minor", 0},
                                                 {"core_count", 132}}),
                                   7);
  for (int64_t i = 0; i < 4; ++i) {
    int64_t at = 100 * i;
    for (const auto& [name, details, micros] : kernels) {
      maker.Event(stream, at * kMicro, (at + micros) * kMicro, name,
                  {{"hlo_op", std::string("sine.1")}, {"kernel_details", details}});
      at += micros;
    }
  }
  const auto run = maker.Finish({{"sine.1", {ProgramIndex(0), sine}}});
  return FindingsOf(*RunView::Make(*run, {}), "low_occupancy");
}

// A kernel with much shared memory, or a grid of few blocks.
TEST(LowOccupancyRule, SpeaksOfKernelsThatLeaveTheDeviceEmpty) {
  const auto found = [](const std::string& details) {
    return FoundWith("sine", {{"sine_kernel", details, 90}});
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

constexpr const char* kNarrow = "regs:16 static_shared:200000 dynamic_shared:0 grid:4096,1,1 block:128,1,1";
constexpr const char* kFull = "regs:16 static_shared:0 dynamic_shared:0 grid:4096,1,1 block:128,1,1";

TEST(LowOccupancyRule, NobodyKnowsWhatAnUnknownKernelNeeds) {
  EXPECT_TRUE(FoundWith("custom-call", {{"somebodys_kernel", kNarrow, 90}}).empty());
}

TEST(LowOccupancyRule, OfSeveralKernelsOnlyThatOne) {
  const auto found = FoundWith("sine", {{"wide_kernel", kFull, 60}, {"narrow_kernel", kNarrow, 30}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(CostMs(found[0]), 4 * 0.030 + 0.001);  // four runs of its own 30 µs
}

}  // namespace
}  // namespace gait::analyze
