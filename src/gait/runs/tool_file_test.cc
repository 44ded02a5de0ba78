#include "gait/runs/tool_file.h"

#include <gtest/gtest.h>

#include "gait/base/testing/scratch_dir.h"
#include "gait/runs/find.h"

namespace gait::runs {
namespace {

using testing_support::ScratchDir;

TEST(ToolFileTest, NamesTell) {
  for (const char* name :
       {"vm.overview_page.pb", "vm.input_pipeline.pb", "vm.tensorflow_stats.pb", "vm.kernel_stats.pb",
        "vm.op_profile.json", "op_profile.json", "vm.memory_profile.json.gz", "vm.pod_viewer.json",
        "vm.trace.json.gz", "vm.trace_viewer.json", "perfetto_trace.json.gz", "ALL_HOSTS.op_stats_v2.pb",
        "jit_f(3).hlo_proto.pb", "NO_MODULE.hlo_proto.pb", "vm.SSTABLE", "vm.metadata.SSTABLE",
        "events.out.tfevents.1.vm.profile-empty", ".cached_tools.json", "vm.dcn_collective_stats.pb"}) {
    EXPECT_TRUE(ToolOfFileName(name).has_value()) << name;
  }
  EXPECT_EQ(ToolOfFileName("vm.overview_page.pb"), "TensorBoard's overview page");
}

TEST(ToolFileTest, OthersMayBeCaptures) {
  for (const char* name : {"vm.xplane.pb", "vm.xplane.pb.gz", "trace", "trace.pb", "overview_page.xplane.pb",
                           "overview_page", "memory.prof", "vm.pb", "a.json", "", "vm.trace.xplane.pb"}) {
    EXPECT_FALSE(ToolOfFileName(name).has_value()) << name;
  }
}

TEST(ToolFileTest, SaysWhichFileToOpen) {
  const ScratchDir scratch;
  const std::string tool = scratch.Write("run/vm.overview_page.pb", "x");
  const std::optional<Error> alone = RecogniseToolFile(tool);
  ASSERT_TRUE(alone.has_value());
  EXPECT_NE(alone->what.find("TensorBoard's overview page, not a capture"), std::string::npos);
  EXPECT_NE(alone->hint.find("not in its folder"), std::string::npos);
  const std::string capture = scratch.Write("run/vm.xplane.pb", "x");
  scratch.Write("run/vm10.xplane.pb", "x");
  EXPECT_EQ(RecogniseToolFile(tool)->hint, "Open the capture beside it: " + capture);
  EXPECT_FALSE(RecogniseToolFile(capture).has_value());
  EXPECT_FALSE(RunOfFile(tool).has_value());
}

}  // namespace
}  // namespace gait::runs
