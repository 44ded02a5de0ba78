#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// A copy of f32[64,32] between layouts, on its own or inside a fusion, beside something that computes; or a
// program of nothing else.
struct CopyOfAnArray {
  std::vector<int64_t> to = {1, 0};  // minor to major
  bool fused = false;
  bool alone = false;

  TestCapture Make() const {
    ProgramMaker maker("jit_f");
    const auto laid_out = [&](InstructionIndex at, std::vector<int64_t> layout) {
      const ShapeId id = ShapeIn(maker, at, ElementType::kF32, {64, 32});
      const_cast<Program&>(maker.program()).shapes[id.value].minor_to_major = std::move(layout);
    };
    const auto copy = [&](const std::string& name, InstructionIndex from) {
      const InstructionIndex at = maker.Add(name, "copy", "jit(f)/copy");
      laid_out(at, to);
      maker.at(at).operands = {from};
      return at;
    };
    const InstructionIndex x = maker.Add("x", "parameter");
    laid_out(x, {1, 0});
    if (alone) {
      const InstructionIndex only = copy("copy.1", x);
      return Steps(maker.Finish(), {{only, 20}});
    }
    const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
    const InstructionIndex move = fused ? maker.Add("fusion.1", "fusion", "jit(f)/copy") : copy("copy.1", x);
    if (fused) {
      const ComputationIndex inside = maker.Begin("fused");
      const InstructionIndex p = maker.Add("p", "parameter");
      laid_out(p, {1, 0});
      copy("copy.2", p);
      maker.at(move).called = {inside};
    }
    return Steps(maker.Finish(), {{move, 20}, {sine, 80}});
  }
};

TEST(LayoutCopiesRule, SpeaksOfTransposesNotOfSlices) {
  const auto program = [](const char* opcode) {
    ProgramMaker maker("jit_f");
    const InstructionIndex move = maker.Add("move.1", opcode, "jit(f)/move");
    const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
    return Steps(maker.Finish(), {{move, 20}, {sine, 80}});
  };
  const auto found = Found(program("transpose"), "layout_copies");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].share, 0.2, 0.01);
  EXPECT_TRUE(Found(program("slice"), "layout_copies").empty());
}

TEST(LayoutCopiesRule, SpeaksOfCopiesToAnotherLayoutOnly) {
  for (const bool fused : {false, true}) {
    EXPECT_EQ(Found(CopyOfAnArray{.to = {0, 1}, .fused = fused}.Make(), "layout_copies").size(), 1u);
    EXPECT_TRUE(Found(CopyOfAnArray{.to = {0, 1}, .fused = fused}.Make(), "program_copies").empty());
    EXPECT_TRUE(Found(CopyOfAnArray{.fused = fused}.Make(), "layout_copies").empty());
    const auto plain = Found(CopyOfAnArray{.fused = fused}.Make(), "program_copies");
    ASSERT_EQ(plain.size(), 1u);
    EXPECT_NEAR(plain[0].share, 0.2, 0.01);
    EXPECT_NE(plain[0].fix.find("donate"), std::string::npos);
  }
  const auto program = Found(CopyOfAnArray{.alone = true}.Make(), "program_copies");
  ASSERT_EQ(program.size(), 1u);
  EXPECT_NE(program[0].fix.find("device_put"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze
