#include "gait/analyze/question/collectives/collectives_report.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_ops.h"

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

// Each program has a straggler of its own in an instruction of the same name.
TEST(CollectivesReport, SaysOfWhichProgramACollectiveIs) {
  TestCapture capture;
  capture.devices = 2;
  for (size_t p = 0; p < 2; ++p) {
    ProgramMaker maker("jit_f", 14 + p);
    const InstructionIndex reduce = maker.Add("psum.7", "all-reduce");
    maker.at(reduce).replica_groups = 0;
    capture.programs.push_back(maker.Finish());
    capture.programs.back().replica_groups.push_back({{{0, 1}}, 2});
    for (int64_t i = 0; i < 10; ++i) {
      for (size_t d = 0; d < 2; ++d) {
        const int64_t begin = (2 * i + static_cast<int64_t>(p)) * 10'000'000;
        capture.events.push_back({begin + (d == p ? 2'000'000 : 0), begin + 3'000'000, "psum.7",
                                  static_cast<int>(p), reduce, -1, AttributionKind::kByName, d});
      }
    }
  }
  const TestView view(std::move(capture));
  const std::string answer = CollectivesDocument(view.view).answer;
  EXPECT_TRUE(answer.ends_with("no device is the straggler of all of them, GPU 0 is of psum.7 of jit_f(14)."))
      << answer;
}

// A TPU's capture without its programs: the operations are known by their names alone.
TEST(CollectivesReport, DoesNotSayThatNothingIsHiddenBetweenAStartAndItsDone) {
  TestCapture capture;
  capture.devices = 2;
  for (size_t d = 0; d < capture.devices; ++d) {
    const auto add = [&](int64_t begin, int64_t end, std::string name) {
      capture.events.push_back({begin, end, std::move(name), -1, {}, -1, AttributionKind::kNoProgram, d});
    };
    add(0, 10, "all-reduce-start.1");
    add(10, 600, "fusion.2");
    add(600, 900, "all-reduce-done.1");
  }
  const TestView view(std::move(capture));
  const report::Document document = CollectivesDocument(view.view);
  EXPECT_TRUE(document.answer.ends_with("; how much is hidden under compute is not known."))
      << document.answer;
  ASSERT_FALSE(document.notes.empty());
  EXPECT_TRUE(document.notes.front().starts_with("which start belongs to which done is not known"));
}

}  // namespace
}  // namespace gait::analyze
