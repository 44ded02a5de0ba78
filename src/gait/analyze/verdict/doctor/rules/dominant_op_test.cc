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

}  // namespace
}  // namespace gait::analyze
