#include "gait/analyze/host/unknown_events.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {
namespace {

TEST(UnknownEvents, AreCountedByNameAndNothingElseIs) {
  GpuRun run;
  run.Step(0, 0, 100)
      .Work(0, 1, 40, 30, "ThunkFusion_3")
      .Host("python", 1, 3, "load_the_batch")            // people's
      .Host("python", 10, 30, "PjitFunction(f)")         // known
      .Host("python", 11, 20, "PjRtNextClient::Hurry")   // a new name
      .Host("python", 12, 2, "cuSomethingNew")           // a call of the driver
      .Host("python", 15, 2, "ThunkFusion_3")            // a kernel
      .Host("python", 18, 9, "PjRtNextClient::Compile")  // a word says what it does
      .Host("python", 19, 3, "PjRtNextClient::Hurry")    // inside of that: compiling
      .Host("pjrt_worker/7", 5, 4, "Ponder [round=1]")
      .Host("pjrt_worker/7", 10, 5, "Ponder [round=2]");
  const RunView view = run.View();
  const std::vector<UnknownEvents> found = FindUnknownEvents(view.hosts[0].trace());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "PjRtNextClient::Hurry");
  EXPECT_EQ(found[0].thread, "python");
  EXPECT_EQ(found[0].count, 1u);
  EXPECT_EQ(found[1].name, "Ponder");
  EXPECT_EQ(found[1].thread, "pjrt_worker/7");
  EXPECT_EQ(found[1].count, 2u);
  EXPECT_EQ(found[1].total, Microseconds(9));
}

}  // namespace
}  // namespace gait::analyze
