#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// In each step the host allocates before its launch, in pieces of this length.
TestLoop Allocating(double each) {
  TestLoop loop{.before = 500, .doing = "train_body"};
  loop.more = [each](GpuRun& run, double t) {
    for (double at = 20; at < 400; at += 2 * each)
      run.Host("python", t + at, each, "Build buffer allocations");
  };
  return loop;
}

size_t Count(const TestLoop& loop) {
  GpuRun run = loop.Make();
  return FindingsOf(run.View(), "allocator_calls").size();
}

TEST(AllocatorCallsRule, SpeaksOfTheDriversAllocations) {
  EXPECT_EQ(Count(Allocating(50)), 1u);
  EXPECT_EQ(Count({.before = 500, .doing = "train_body"}), 0u);
}

}  // namespace
}  // namespace gait::analyze
