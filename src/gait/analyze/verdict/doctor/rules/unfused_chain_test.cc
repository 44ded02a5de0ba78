#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// sine -> cosine: arrays of 64 MiB, read and written in 50 us, at 0.56 of an H200's bandwidth.
struct UnfusedPair {
  bool twice = false;  // the result of the first has another reader
  int64_t elements = int64_t{1} << 24;
  int64_t sine = 50;  // microseconds
  std::string model = "NVIDIA H200";

  TestCapture Make() const {
    ProgramMaker maker("jit_f");
    const InstructionIndex x = maker.Add("x", "parameter");
    ShapeIn(maker, x, ElementType::kF32, {elements});
    const InstructionIndex first = maker.Add("sine.1", "sine", "jit(f)/sin");
    const InstructionIndex second = maker.Add("cosine.1", "cosine", "jit(f)/cos");
    const InstructionIndex sum = maker.Add("reduce.1", "reduce", "jit(f)/sum");
    const double bytes = 4.0 * static_cast<double>(elements);
    for (const InstructionIndex i : {first, second}) {
      ShapeIn(maker, i, ElementType::kF32, {elements});
      maker.at(i).cost = {1e6, bytes, bytes, StringId()};
    }
    maker.at(first).operands = {x};
    maker.at(second).operands = {first};
    maker.at(sum).operands = {twice ? first : second};
    TestCapture capture = Steps(maker.Finish(), {{first, sine}, {second, 50}, {sum, 10}});
    capture.model = model;
    return capture;
  }
};

TEST(UnfusedChainRule, SpeaksOfResultsWithOneReader) {
  const auto found = Found(UnfusedPair{}.Make(), "unfused_chain");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.05, 0.001);  // half of each: one array written, one read
  EXPECT_TRUE(Found(UnfusedPair{.twice = true}.Make(), "unfused_chain").empty());
}

TEST(UnfusedChainRule, SpeaksOfWhatMemoryBoundsOnly) {
  EXPECT_TRUE(Found(UnfusedPair{.elements = 1 << 20}.Make(), "unfused_chain").empty());
  // The sine computes for longer than its bytes take: only the cosine would be shorter.
  const auto found = Found(UnfusedPair{.sine = 500}.Make(), "unfused_chain");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.025, 0.001);
  // A device of unknown bandwidth has at least that of its fastest operation.
  const auto other =
      Found(UnfusedPair{.elements = 1 << 20, .sine = 500, .model = "A"}.Make(), "unfused_chain");
  ASSERT_EQ(other.size(), 1u);
  EXPECT_NEAR(other[0].cost->milliseconds(), 0.025, 0.001);
}

}  // namespace
}  // namespace gait::analyze
