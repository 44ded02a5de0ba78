#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(GarbageCollectionRule, SpeaksOfTheCollectorOnly) {
  GpuRun run = TestLoop{.doing = "$gc collect"}.Make();
  EXPECT_EQ(FindingsOf(run.View(), "garbage_collection").size(), 1u);
  GpuRun other = TestLoop{.doing = "$train.py:3 collect_metrics"}.Make();
  EXPECT_TRUE(FindingsOf(other.View(), "garbage_collection").empty());
}

TEST(GarbageCollectionRule, TellsTheRuntimesFreeingFromPythonsCollector) {
  GpuRun run = TestLoop{.doing = "PythonRefManager::CollectGarbage"}.Make();
  const auto found = FindingsOf(run.View(), "garbage_collection");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "Freeing host arrays in the loop");
  EXPECT_EQ(found[0].fix.find("gc.collect()"), std::string::npos);
}

TEST(GarbageCollectionRule, DoesNotCallACaptureCleanThatCouldNotShowIt) {
  const auto unchecked = [](GpuRun run) {
    const Diagnosis diagnosis = DiagnosisOf(run.View(), {.only = {"garbage_collection"}});
    EXPECT_TRUE(diagnosis.findings.empty());
    return !diagnosis.rules.at(0).unchecked.empty();
  };
  EXPECT_TRUE(unchecked(TestLoop{.doing = "bookkeeping"}.Make()));
  EXPECT_FALSE(unchecked(TestLoop{.doing = "$train.py:3 log"}.Make()));
  EXPECT_FALSE(unchecked(Hidden("garbage collection")));
  EXPECT_TRUE(unchecked(Hidden("PythonRefManager::CollectGarbage")));  // the runtime's, not Python's
  GpuRun watched = TestLoop{.doing = "bookkeeping"}.Make();
  watched.manifest.collections = true;
  EXPECT_FALSE(unchecked(std::move(watched)));
}

}  // namespace
}  // namespace gait::analyze
