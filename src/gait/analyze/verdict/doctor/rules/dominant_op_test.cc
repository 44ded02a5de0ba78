#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TestCapture Two(int64_t first, int64_t second) {
  ProgramMaker maker("jit_f");
  const InstructionIndex sort = maker.Add("sort.1", "sort", "jit(f)/sort");
  const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
  const InstructionIndex cosine = maker.Add("cosine.1", "cosine", "jit(f)/cos");
  return Steps(maker.Finish(), {{sort, first}, {sine, second}, {cosine, second}});
}

TEST(DominantOpRule, SpeaksOfMoreThanHalf) {
  const auto found = Found(Two(120, 50), "dominant_op");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("sort.1"), std::string::npos);
  EXPECT_TRUE(Found(Two(90, 50), "dominant_op").empty());
}

// A sort of 128 MiB for 1 ms, whose result is taken whole or in part.
std::vector<Finding> Sorting(const std::string& user) {
  ProgramMaker maker("jit_f");
  const InstructionIndex x = maker.Add("x", "parameter");
  ShapeIn(maker, x, ElementType::kF32, {1024, 32768});
  const InstructionIndex sort = maker.Add("sort.1", "sort", "jit(f)/sort");
  ShapeIn(maker, sort, ElementType::kF32, {1024, 32768});
  maker.at(sort).operands = {x};
  maker.SetUnknown(sort, "sorts");
  const InstructionIndex taken = maker.Add("taken.1", user, "jit(f)/taken");
  ShapeIn(maker, taken, ElementType::kF32, {1024, 8});
  maker.at(taken).operands = {sort};
  const InstructionIndex other = maker.Add("sine.1", "sine", "jit(f)/sin");
  return Found(Steps(maker.Finish(), {{sort, 1000}, {taken, 10}, {other, 10}}), "dominant_op");
}

TEST(DominantOpRule, ASortOfWhichAPartIsUsedIsMostlyNeedless) {
  const auto part = Sorting("slice");
  ASSERT_EQ(part.size(), 1u);
  EXPECT_NEAR(CostMs(part[0]), 1 - 2 * 0.134 / 4.8, 0.005);  // read twice at 4.8 TB/s
  EXPECT_NE(part[0].fix.find("top_k"), std::string::npos);
  const auto whole = Sorting("negate");
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_FALSE(whole[0].cost);
}

}  // namespace
}  // namespace gait::analyze
