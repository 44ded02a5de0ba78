#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(F32MatmulRule, SpeaksOfF32OperandsOnly) {
  const auto found = Found(Product(ElementType::kF32, {1024, 1024}, 30e9), "f32_matmul");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.05, 0.005);  // TF32 to bf16: half
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1024}, 30e9), "f32_matmul").empty());
}

}  // namespace
}  // namespace gait::analyze
