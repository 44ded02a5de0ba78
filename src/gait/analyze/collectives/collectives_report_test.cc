#include "gait/analyze/collectives/collectives_report.h"

#include <gtest/gtest.h>

#include "gait/analyze/ops/test_ops.h"

namespace gait::analyze {
namespace {

TEST(CollectivesReport, SaysWhatIsOutsideTheSteps) {
  constexpr int64_t kStep = 10'000'000;
  ProgramMaker maker("jit_sync");
  const InstructionIndex reduce = maker.Add("all-reduce.1", "all-reduce", "jit(sync)/psum");
  const InstructionIndex sine = maker.Add("sine.1", "sine");
  TestCapture capture;
  capture.devices = 2;
  capture.programs.push_back(maker.Finish());
  for (size_t d = 0; d < capture.devices; ++d) {
    capture.events.push_back(
        {100, 1'000'100, "ncclDevKernel_AllReduce", 0, reduce, -1, AttributionKind::kByName, d});
    for (int64_t step = 1; step < 5; ++step) {
      capture.events.push_back({step * kStep + 4'000'000, step * kStep + 9'000'000, "sine", 0, sine, step,
                                AttributionKind::kByName, d});
    }
  }
  for (int64_t step = 1; step < 5; ++step) {
    capture.calls.push_back({step * kStep, step * kStep + 3, "train", -1, step});
    capture.calls.push_back({step * kStep + 1, step * kStep + 2, "cuLaunchKernel", step});
  }
  const TestView view(std::move(capture));
  EXPECT_EQ(CollectivesDocument(view.view).answer,
            "No collectives in the steps; outside of them they take 1.00 µs on each device (--program "
            "jit_sync).");
}

}  // namespace
}  // namespace gait::analyze
