#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(F64WorkRule, SpeaksOfProductsInF64) {
  const auto found = Found(Product(ElementType::kF64, {1024, 1024}, 5e9), "f64_work");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.1 * (1 - 67.0 / 494.0), 0.005);  // 67 TFLOP/s, TF32 494
  EXPECT_TRUE(Found(Product(ElementType::kF32, {1024, 1024}, 5e9), "f64_work").empty());
}

TEST(F64WorkRule, BytesCountTwice) {
  ProgramMaker maker("jit_f");
  const InstructionIndex tanh = maker.Add("tanh.1", "tanh", "jit(f)/tanh");
  ShapeIn(maker, tanh, ElementType::kF64, {1 << 20});
  maker.SetCost(tanh, 1e6, 4e8);
  const auto found = Found(Steps(maker.Finish(), {{tanh, 100}}), "f64_work");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.05, 0.001);
}

}  // namespace
}  // namespace gait::analyze
