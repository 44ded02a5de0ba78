#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// Three products of 30 GFLOP each, which a H200 does in 40 µs, in kernels with these tiles.
std::vector<Finding> FoundWith(int64_t micros, const std::vector<std::string>& tiles) {
  ProgramMaker maker("jit_f");
  std::vector<std::pair<InstructionIndex, int64_t>> times;
  for (size_t i = 0; i < tiles.size(); ++i) {
    const InstructionIndex dot = maker.Add("dot." + std::to_string(i), "dot", "jit(f)/dot_general");
    ShapeIn(maker, dot, ElementType::kBf16, {1024, 1024 * static_cast<int64_t>(i + 1)});
    const InstructionIndex x = maker.Add("x" + std::to_string(i), "parameter");
    ShapeIn(maker, x, ElementType::kBf16, {1024, 1024});
    maker.at(dot).operands = {x, x};
    maker.SetCost(dot, 30e9, 1e6);
    if (!tiles[i].empty()) {
      maker.SetConfig(dot, R"({"block_level_fusion_config":{"num_warps":"2","output_tiles":[{"sizes":[)" +
                               tiles[i] + R"(]}]}})");
    }
    times.emplace_back(dot, micros);
  }
  return Found(Steps(maker.Finish(), times), "slow_products");
}

TEST(SlowProductsRule, SpeaksOfKernelsThatNobodyTriedOut) {
  const std::string small = R"("1","16","8")";
  const auto found = FoundWith(500, {small, small, R"("128","64")"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 1.5 - 3 * 0.0393, 0.005);  // bf16 attains 77 % of 989 TFLOP/s
  EXPECT_NE(found[0].cause.find("as small as 16 × 8"), std::string::npos) << found[0].cause;
  EXPECT_NE(found[0].fix.find("xla_gpu_autotune_level"), std::string::npos);
}

TEST(SlowProductsRule, SaysWhoseKernelsTheyAre) {
  const std::string large = R"("1","128","64")";
  const auto chosen = FoundWith(500, {R"("16","8")", large, large});
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_NE(chosen[0].cause.find("Triton"), std::string::npos);
  const auto library = FoundWith(500, {"", "", ""});
  ASSERT_EQ(library.size(), 1u);
  EXPECT_NE(library[0].cause.find("library"), std::string::npos);
}

TEST(SlowProductsRule, IsSilentWhereTheyRunWell) {
  EXPECT_TRUE(FoundWith(70, {"", "", ""}).empty());
  EXPECT_EQ(FoundWith(100, {"", "", ""}).size(), 1u);
}

}  // namespace
}  // namespace gait::analyze
