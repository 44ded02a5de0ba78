#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// Copies of a loop's carry: hidden under another stream's kernel or not.
TEST(ProgramCopiesRule, SpeaksOfCopiesThatNothingHides) {
  const auto found = [](bool hidden) {
    ProgramMaker program("jit_f");
    const InstructionIndex sine = program.Add("f", "sine", "jit(f)/sin");
    const InstructionIndex copy = program.Add("copy.1", "copy", "jit(f)/while");
    Maker maker;
    maker.builder().AddProgram(program.Finish());
    const PlaneId gpu = maker.Gpu(0);
    const auto stream = maker.Stream(gpu, 7);
    const auto copies = maker.Stream(gpu, 8);
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t t = 1000 * i * kMicro;
      const int64_t at = t + (hidden ? 100 : 700) * kMicro;
      maker.Event(stream, t, t + 690 * kMicro, "kernel", {{"hlo_op", std::string("f")}});
      maker.Event(copies, at, at + 200 * kMicro, "MemcpyD2D", {{"hlo_op", std::string("copy.1")}});
    }
    return Found(maker.Finish({{"f", {ProgramIndex(0), sine}}, {"copy.1", {ProgramIndex(0), copy}}}),
                 "program_copies");
  };
  EXPECT_EQ(found(false), 1u);
  EXPECT_EQ(found(true), 0u);
}

}  // namespace
}  // namespace gait::analyze
