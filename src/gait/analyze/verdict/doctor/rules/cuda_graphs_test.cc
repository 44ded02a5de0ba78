#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// A large program launched kernel by kernel, by a host that is too slow or fast enough.
TEST(CudaGraphsRule, SpeaksOfALargeProgramWhoseLaunchesComeLate) {
  const auto found = [](int64_t duration, int64_t call = 5) {
    ProgramMaker maker("jit_f");
    std::vector<InstructionIndex> all;
    for (int i = 0; i < 30; ++i) all.push_back(maker.Add("sine." + std::to_string(i), "sine", "jit(f)/sin"));
    TestCapture capture;
    capture.programs.push_back(maker.Finish());
    int64_t correlation = 1;
    for (int64_t step = 0; step < 4; ++step) {
      const int64_t start = step * 3100 * kMicro;
      capture.calls.push_back({start, start + 3000 * kMicro, "train", -1, step});
      for (const InstructionIndex i : all) {
        const int64_t at = start + 100 * kMicro * static_cast<int64_t>(i.value);
        capture.calls.push_back({at + 10, at + call * kMicro, "cuLaunchKernel", correlation});
        capture.events.push_back(
            {at + 6 * kMicro, at + (6 + duration) * kMicro, "kernel", 0, i, correlation++});
      }
    }
    const TestView view(std::move(capture));
    return FindingsOf(view.view, "cuda_graphs").size() + 10 * FindingsOf(view.view, "launch_bound").size();
  };
  EXPECT_EQ(found(20), 1u);  // and launch_bound leaves it to this rule
  EXPECT_EQ(found(100), 0u);
  EXPECT_EQ(found(20, 1) % 10, 0u);  // launches take 1 % of the step: a graph would save no more
}

}  // namespace
}  // namespace gait::analyze
