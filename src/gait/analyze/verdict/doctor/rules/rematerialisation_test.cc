#include "gait/analyze/verdict/doctor/rules/test_programs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(RematerialisationRule, SpeaksOfTheForwardPassThatRunsTwice) {
  const auto program = [](const std::string& scope) {
    ProgramMaker maker("jit_f");
    const InstructionIndex again = maker.Add("sine.1", "sine", scope);
    const InstructionIndex other = maker.Add("sine.2", "sine", "jit(f)/jvp(layer)/sin");
    return Steps(maker.Finish(), {{again, 20}, {other, 80}});
  };
  EXPECT_EQ(
      Found(program("jit(f)/transpose(jvp(layer))/rematted_computation/sin"), "rematerialisation").size(),
      1u);
  EXPECT_TRUE(Found(program("jit(f)/transpose(jvp(layer))/sin"), "rematerialisation").empty());
}

}  // namespace
}  // namespace gait::analyze
