#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(NoDeviceRule, SpeaksWhenNoDeviceDidAnything) {
  EXPECT_EQ(Found(MakeRun({}, false), "no_device"), 1u);
  EXPECT_EQ(Found(MakeRun(), "no_device"), 0u);
}

TEST(NoDeviceRule, SaysWhatToDoForThePlatform) {
  const auto fix = [](const char* key, const char* version) {
    const auto run =
        MakeRun([&](Maker& maker) { maker.builder().environment().versions = {{key, version}}; }, false);
    return FindingsOf(*RunView::Make(*run, {}), "no_device").at(0).fix;
  };
  EXPECT_TRUE(fix("gpu_version", "cuda 13000").contains("install CUPTI"));
  EXPECT_TRUE(fix("gpu_version", "rocm 70000").contains("install rocprofiler-sdk"));
  EXPECT_TRUE(fix("tpu_version", "TPU v5e").contains("capture fewer steps"));
  EXPECT_FALSE(fix("tpu_version", "TPU v5e").contains("CUPTI"));
  EXPECT_TRUE(fix("libtpu_version", "0.0.17").contains("if they ran on a TPU: capture fewer steps"));
}

}  // namespace
}  // namespace gait::analyze
