#include "gait/analyze/verdict/scaling/scaling.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gait/analyze/run/describe.h"

namespace gait::analyze {
namespace {

ScalingRun RunOf(int64_t devices, int64_t compute, int64_t exchange, int64_t wait, int64_t copies,
                 int64_t idle) {
  ScalingRun run;
  run.devices = devices;
  run.parts = {Ps(compute), Ps(exchange), Ps(wait), Ps(copies), Ps(idle)};
  for (const Ps part : run.parts) run.step += part;
  return run;
}

void ExpectSums(const std::vector<ScalingRow>& rows) {
  for (const ScalingRow& row : rows) {
    EXPECT_EQ(std::accumulate(row.parts.begin(), row.parts.end(), Ps()), row.loss);
    EXPECT_EQ(row.ideal + row.loss, row.run->step);
  }
}

TEST(Scaling, SplitsTheLossOfStrongScaling) {
  const std::vector<ScalingRun> runs = {RunOf(4, 260, 40, 17, 0, 3), RunOf(1, 1000, 0, 0, 0, 7)};
  const auto rows = Scale(runs, ScalingKind::kStrong);
  ExpectSums(rows);
  EXPECT_EQ(rows[0].run->devices, 1);
  EXPECT_EQ(rows[0].loss, Ps());
  EXPECT_DOUBLE_EQ(rows[0].efficiency, 1);
  EXPECT_EQ(rows[1].ideal, Ps(251));  // 1007 / 4
  EXPECT_EQ(rows[1].loss, Ps(320 - 251));
  EXPECT_EQ(rows[1].parts[0], Ps(10));
  EXPECT_EQ(rows[1].parts[1], Ps(40));
  EXPECT_EQ(rows[1].parts[2], Ps(17));
  EXPECT_NEAR(rows[1].efficiency, 251.0 / 320, 1e-9);
  EXPECT_NEAR(rows[1].speedup, 4 * 251.0 / 320, 1e-9);
}

TEST(Scaling, CapturesOfABlockArePooled) {
  std::vector<ScalingRun> sample = {RunOf(2, 100, 10, 7, 0, 3), RunOf(2, 103, 12, 8, 0, 0)};
  for (ScalingRun& run : sample) {
    run.warm_step = run.step;
    run.kinds = {{"all-reduce", Ps(15), Ps(3), Ps(4)}, {"all-gather", Ps(5), Ps(4), Ps(4)}};
  }
  const ScalingRun pooled = Pooled(sample[1], sample);
  EXPECT_EQ(pooled.steps, 2);
  EXPECT_EQ(pooled.step, Ps(121));  // 243 / 2, rounded down
  EXPECT_EQ(std::accumulate(pooled.parts.begin(), pooled.parts.end(), Ps()), pooled.step);
  EXPECT_EQ(pooled.warm, 2);
  EXPECT_EQ(pooled.noise, NoiseOf({Ps(120), Ps(123)}));
  EXPECT_EQ(pooled.warm_noise, pooled.noise);
  EXPECT_EQ(pooled.kinds[0].wait + pooled.kinds[1].wait,
            pooled.parts[static_cast<size_t>(ScalingPart::kWait)]);
}

TEST(Scaling, KnowsRunsThatAreNotWhatWasAskedFor) {
  ScalingRun run = RunOf(2, 100, 10, 0, 0, 0);
  run.collectives = 3;
  EXPECT_TRUE(run.verified());
  run.asked = 4;
  EXPECT_FALSE(run.verified());
  run.asked = 2;
  EXPECT_TRUE(run.verified());
  run.other_processes = 1;
  EXPECT_EQ(run.NotIsolatedBecause(), "1 other process computed on a device of the run");
  run.other_processes = 0;
  run.collectives = 0;
  EXPECT_FALSE(run.verified());
  std::vector<ScalingRun> runs = {RunOf(1, 100, 0, 0, 0, 0), RunOf(2, 60, 0, 0, 0, 0)};
  EXPECT_TRUE(Comparable(Scale(runs, ScalingKind::kStrong)));
  runs[1].steps = 5;
  EXPECT_FALSE(Comparable(Scale(runs, ScalingKind::kStrong)));
}

TEST(Scaling, ACollectiveWithOthersIsNoIsolation) {
  ScalingRun run = RunOf(2, 100, 10, 0, 0, 0);
  run.collectives = 3;
  run.largest_group = 2;
  EXPECT_EQ(run.NotIsolatedBecause(), "");
  run.largest_group = 8;
  EXPECT_EQ(run.NotIsolatedBecause(), "a collective of 8 devices, but 2 are in the capture");
  run.largest_group = 2;
  run.idle_devices = 1;
  EXPECT_EQ(run.NotIsolatedBecause(), "1 device did nothing");
}

TEST(Scaling, NoiseIsTwiceTheStandardError) {
  EXPECT_EQ(NoiseOf({Ps(100)}), std::nullopt);
  EXPECT_EQ(NoiseOf({Ps(100), Ps(100)}), Ps(0));
  // sigma 81.6, of four: 2 * 81.6 / 2
  EXPECT_EQ(NoiseOf({Ps(900), Ps(1000), Ps(1000), Ps(1100)}), Ps(82));
}

TEST(Scaling, WeakScalingKeepsTheStep) {
  const std::vector<ScalingRun> runs = {RunOf(2, 100, 10, 0, 0, 0), RunOf(8, 100, 30, 5, 0, 2)};
  const auto rows = Scale(runs, ScalingKind::kWeak);
  ExpectSums(rows);
  EXPECT_EQ(rows[1].ideal, Ps(110));
  EXPECT_EQ(rows[1].loss, Ps(27));
  EXPECT_EQ(rows[1].parts[0], Ps());
  EXPECT_NEAR(rows[1].efficiency, 110.0 / 137, 1e-9);
  EXPECT_NEAR(rows[1].speedup, 4 * 110.0 / 137, 1e-9);
}

TEST(Scaling, NamesOfRunsAreTheirDifference) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(TellingNames({"logs/1gpu_20261116_131758", "logs/8gpu_20261116_131758"}),
            (Names{"1gpu", "8gpu"}));
  EXPECT_EQ(TellingNames({"runs/a/one.xplane.pb.gz", "runs/b/two.xplane.pb.gz"}), (Names{"a/one", "b/two"}));
  EXPECT_EQ(TellingNames({"runs/1", "runs/1_b"}), (Names{"1", "1_b"}));
  EXPECT_EQ(TellingNames({"runs/a_b", "runs/a_b"}), (Names{"runs/a_b", "runs/a_b"}));
}

TEST(Scaling, SumsStayExactWhateverDoesNotDivide) {
  const std::vector<ScalingRun> runs = {RunOf(1, 1001, 7, 11, 13, 17), RunOf(3, 401, 5, 3, 1, 9),
                                        RunOf(7, 201, 5, 33, 1, 9)};
  ExpectSums(Scale(runs, ScalingKind::kStrong));
  ExpectSums(Scale(runs, ScalingKind::kWeak));
}

}  // namespace
}  // namespace gait::analyze
