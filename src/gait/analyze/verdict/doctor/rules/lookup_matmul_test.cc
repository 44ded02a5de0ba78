#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

constexpr int64_t kRows = 8192, kClasses = 4096, kWidth = 512;

// one_hot(numbers, classes) in a fusion of its own, and a product with it: with the table, or summed by
// class.
TestCapture OneHotProduct(bool lookup) {
  ProgramMaker maker("jit_f");
  const InstructionIndex numbers = maker.Add("numbers", "parameter");
  ShapeIn(maker, numbers, ElementType::kS32, {kRows});
  const InstructionIndex other = maker.Add("other", "parameter");
  ShapeIn(maker, other, ElementType::kBf16, {lookup ? kClasses : kRows, kWidth});
  const InstructionIndex ones = maker.Add("fusion.1", "fusion", "jit(f)/one_hot");
  ShapeIn(maker, ones, ElementType::kBf16, {kRows, kClasses});
  maker.at(ones).operands = {numbers};
  const InstructionIndex dot = maker.Add("dot.1", "dot", "jit(f)/dot_general");
  const int64_t rows = lookup ? kRows : kClasses;
  ShapeIn(maker, dot, ElementType::kBf16, {rows, kWidth});
  maker.at(dot).operands = {ones, other};
  maker.SetCost(dot, 2.0 * kRows * kClasses * kWidth, 1e8);
  maker.at(ones).called = {maker.Begin("fused")};
  const InstructionIndex inner = maker.Add("p", "parameter");
  const InstructionIndex spread = maker.Add("b", "broadcast");
  maker.at(spread).operands = {inner};
  const InstructionIndex iota = maker.Add("i", "iota");
  ShapeIn(maker, iota, ElementType::kS32, {kRows, kClasses});
  maker.at(iota).dimensions = {1};
  const InstructionIndex compare = maker.Add("c", "compare");
  maker.at(compare).operands = {spread, iota};
  maker.SetDirection(compare, "EQ");
  const InstructionIndex convert = maker.Add("v", "convert");
  maker.at(convert).operands = {compare};
  return Steps(maker.Finish(), {{ones, 50}, {dot, 100}});
}

TEST(LookupMatmulRule, SpeaksOfRowsThatAreLookedUp) {
  const auto found = Found(OneHotProduct(true), "lookup_matmul");
  ASSERT_EQ(found.size(), 1u);
  // The product and its zeros and ones, less 2 × 8 MiB at 4.37 TB/s.
  EXPECT_NEAR(CostMs(found[0]), 0.150 - 0.004, 0.002);
  EXPECT_NE(found[0].cause.find("4096"), std::string::npos) << found[0].cause;
}

TEST(LookupMatmulRule, SumsByClassAreWork) {
  EXPECT_TRUE(Found(OneHotProduct(false), "lookup_matmul").empty());
}

TEST(LookupMatmulRule, OtherProductsAreNone) {
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1024}, 30e9), "lookup_matmul").empty());
}

}  // namespace
}  // namespace gait::analyze
