#include "gait/runs/manifest.h"

#include <gtest/gtest.h>

#include "gait/base/testing/scratch_dir.h"

namespace gait::runs {
namespace {

using testing_support::ScratchDir;

TEST(Manifest, WeighsBothSidesByTheirSteps) {
  const Result<Manifest> manifest = ParseManifest(
      R"({"schema":1,"uncaptured":{"name":"train","before":{"steps":30,"period_ns":1000,"mean_ns":3000},)"
      R"("after":{"steps":10,"period_ns":2000,"mean_ns":1000}}})");
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->before->steps, 30);
  const auto uncaptured = manifest->Uncaptured();
  ASSERT_TRUE(uncaptured);
  EXPECT_EQ(manifest->uncaptured_name, "train");
  EXPECT_EQ(uncaptured->steps, 40);
  EXPECT_EQ(uncaptured->median, Nanoseconds(1250));
  EXPECT_EQ(uncaptured->mean, Nanoseconds(2500));
}

TEST(Manifest, AMeanThatOneSideLacksIsUnknown) {
  const Result<Manifest> manifest = ParseManifest(
      R"({"uncaptured":{"before":{"steps":30,"period_ns":1000,"mean_ns":3000},"after":{"steps":10,"period_ns":2000}}})");
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->Uncaptured()->median, Nanoseconds(1250));
  EXPECT_FALSE(manifest->Uncaptured()->mean);
  EXPECT_FALSE(ParseManifest(R"({"uncaptured":{"after":{"steps":5,"period_ns":7,"mean_ns":-7}}})")
                   ->Uncaptured()
                   ->mean);
}

TEST(Manifest, TellsWhetherCollectionsAreEvents) {
  EXPECT_TRUE(ParseManifest(R"({"capture":{"collections":true}})")->collections);
  for (const char* text : {"{}", R"({"capture":{}})", R"({"capture":{"collections":false}})",
                           R"({"capture":{"collections":1}})"}) {
    EXPECT_FALSE(ParseManifest(text)->collections) << text;
  }
}

TEST(Manifest, TellsFlagsOrThatItDoesNot) {
  const auto flags =
      ParseManifest(R"({"capture":{"flags":{"XLA_FLAGS":"--a=1","jax_enable_x64":"True","x":3}}})")->flags;
  ASSERT_TRUE(flags);
  EXPECT_EQ(*flags, (std::map<std::string, std::string>{{"XLA_FLAGS", "--a=1"}, {"jax_enable_x64", "True"}}));
  EXPECT_TRUE(ParseManifest(R"({"capture":{"flags":{}}})")->flags);
  for (const char* text : {"{}", R"({"capture":{}})", R"({"capture":{"flags":"--a"}})"}) {
    EXPECT_FALSE(ParseManifest(text)->flags) << text;
  }
}

TEST(Manifest, NonsenseIsNotKnowledge) {
  for (const char* text :
       {"{}", R"({"uncaptured":3})", R"({"uncaptured":{"before":{"steps":0,"period_ns":5}}})",
        R"({"uncaptured":{"before":{"steps":5,"period_ns":-5}}})",
        R"({"uncaptured":{"before":{"steps":"5","period_ns":5}}})"}) {
    const Result<Manifest> manifest = ParseManifest(text);
    ASSERT_TRUE(manifest) << text;
    EXPECT_FALSE(manifest->Uncaptured()) << text;
  }
  EXPECT_FALSE(ParseManifest(""));
  EXPECT_FALSE(ParseManifest("[1]"));
  EXPECT_FALSE(ParseManifest("{\"uncaptured\":"));
}

TEST(Manifest, LiesInTheRunsFolder) {
  const ScratchDir dir;
  runs::Run run;
  run.path = dir.path();
  EXPECT_FALSE(ReadManifest(run)->Uncaptured());
  dir.Write("gait.json", R"({"uncaptured":{"after":{"steps":5,"period_ns":7}}})");
  EXPECT_EQ(ReadManifest(run)->Uncaptured()->median, Nanoseconds(7));
  run.path = dir / "vm.xplane.pb";
  EXPECT_EQ(ReadManifest(run)->Uncaptured()->median, Nanoseconds(7));
  dir.Write("gait.json", "no JSON");
  EXPECT_FALSE(ReadManifest(run));
}

}  // namespace
}  // namespace gait::runs
