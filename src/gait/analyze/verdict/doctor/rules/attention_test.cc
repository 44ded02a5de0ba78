#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// q k^T -> softmax -> times v, with a batch or without: then it is a classifier's head.
TestCapture Attention(bool batched) {
  ProgramMaker maker("jit_f");
  const std::vector<int64_t> scores =
      batched ? std::vector<int64_t>{8, 64, 64} : std::vector<int64_t>{512, 64};
  const InstructionIndex q = maker.Add("q", "parameter");
  const InstructionIndex product = maker.Add("dot.1", "dot", "jit(f)/dot_general");
  const InstructionIndex softmax = maker.Add("fusion.1", "fusion", "jit(f)/softmax");
  const InstructionIndex values = maker.Add("dot.2", "dot", "jit(f)/dot_general");
  for (const InstructionIndex i : {product, softmax, values}) ShapeIn(maker, i, ElementType::kF32, scores);
  maker.at(product).operands = {q, q};
  maker.at(softmax).operands = {product};
  maker.at(values).operands = {softmax, q};
  const ComputationIndex inside = maker.Begin("fused");
  maker.Add("p", "parameter");
  maker.Add("exp", "exponential");
  maker.Add("sum", "reduce");
  maker.at(softmax).called = {inside};
  return Steps(maker.Finish(), {{product, 20}, {softmax, 60}, {values, 20}});
}

TEST(AttentionRule, SpeaksOfASoftmaxBetweenBatchedProducts) {
  const auto found = Found(Attention(true), "attention");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.06, 0.001);
  EXPECT_NE(found[0].cause.find("f32[8,64,64]"), std::string::npos);
  EXPECT_TRUE(Found(Attention(false), "attention").empty());
}

}  // namespace
}  // namespace gait::analyze
