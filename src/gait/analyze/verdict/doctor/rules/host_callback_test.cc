#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(HostCallbackRule, SpeaksOfCallbacksOnly) {
  GpuRun run = TestLoop{.doing = "xla_ffi_python_gpu_callback"}.Make();
  EXPECT_EQ(FindingsOf(run.View(), "host_callback").size(), 1u);
  for (const char* doing : {"call_model_back", "ThenExecuteCallback", "callbacks"}) {
    GpuRun other = TestLoop{.doing = doing}.Make();
    EXPECT_TRUE(FindingsOf(other.View(), "host_callback").empty()) << doing;
  }
}

}  // namespace
}  // namespace gait::analyze
