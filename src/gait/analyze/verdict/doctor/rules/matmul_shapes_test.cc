#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(MatmulShapesRule, SpeaksOfRowsThatAreNotAligned) {
  const auto found = Found(Product(ElementType::kBf16, {1024, 1023}, 30e9), "matmul_shapes");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("1023"), std::string::npos);
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1024}, 30e9), "matmul_shapes").empty());
  // As fast as it can be, whatever its shape.
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1023}, 90e9), "matmul_shapes").empty());
}

}  // namespace
}  // namespace gait::analyze
