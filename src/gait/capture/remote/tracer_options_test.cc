#include "gait/capture/remote/tracer_options.h"

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

TEST(AdvancedOption, HasTheTypeOfItsKey) {
  EXPECT_EQ(ParseAdvancedOption("gpu_enable_nvtx_tracking=true").value(),
            (AdvancedOption{"gpu_enable_nvtx_tracking", true}));
  EXPECT_EQ(ParseAdvancedOption("gpu_max_activity_api_events=-1").value(),
            (AdvancedOption{"gpu_max_activity_api_events", int64_t{-1}}));
  EXPECT_EQ(ParseAdvancedOption("tpu_trace_mode=TRACE_COMPUTE").value(),
            (AdvancedOption{"tpu_trace_mode", "TRACE_COMPUTE"}));
}

TEST(AdvancedOption, TextReadsBack) {
  for (const char* text :
       {"gpu_enable_nvtx_tracking=false", "gpu_max_activity_api_events=7", "gpu_pm_sample_counters=a,b=c"}) {
    EXPECT_EQ(ParseAdvancedOption(text).value().Text(), text);
  }
}

TEST(AdvancedOption, RefusesWhatWouldDropTheGpu) {
  for (const char* text : {"gpu_enable_nvtx_tracking", "gpu_enable_nvtx_tracking=1",
                           "gpu_max_activity_api_events=", "gpu_max_activity_api_events=3x",
                           "gpu_dump_graph_node_mapping=true", "=1", ""}) {
    const auto option = ParseAdvancedOption(text);
    ASSERT_FALSE(option.has_value()) << text;
    EXPECT_EQ(option.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace gait::capture::remote
