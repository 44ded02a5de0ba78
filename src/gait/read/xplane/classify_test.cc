#include "gait/read/xplane/classify.h"

#include <gtest/gtest.h>

namespace gait::xplane {
namespace {

TEST(ClassifyPlane, KnowsThePlanesOfEveryPlatform) {
  struct Case {
    std::string_view name;
    PlaneKind kind;
    std::optional<int64_t> ordinal;
  };
  const Case cases[] = {
      {"/host:CPU", PlaneKind::kHost, {}},
      {"/host:CUPTI", PlaneKind::kHost, {}},
      {"/host:metadata", PlaneKind::kMetadata, {}},
      {"/host:__ScopeRangeCallStack__", PlaneKind::kMetadata, {}},
      {"Task Environment", PlaneKind::kEnvironment, {}},
      {"/device:GPU:0", PlaneKind::kGpu, 0},
      {"/device:GPU:13", PlaneKind::kGpu, 13},
      {"/device:TPU:2", PlaneKind::kTpu, 2},
      {"/device:TPU:0 SparseCore 1", PlaneKind::kTpu, 0},
      {"/device:GPU:x", PlaneKind::kGpu, {}},
      {"/device:CUSTOM:Megascale Trace", PlaneKind::kCustom, {}},
      {"/virtualdevice:0", PlaneKind::kOther, {}},
      {"#Chip 0", PlaneKind::kOther, {}},
      {"Syscalls", PlaneKind::kOther, {}},
      {"", PlaneKind::kOther, {}},
  };
  for (const Case& c : cases) {
    const Plane plane = ClassifyPlane(c.name, 9);
    EXPECT_EQ(plane.kind, c.kind) << c.name;
    EXPECT_EQ(plane.ordinal, c.ordinal) << c.name;
    EXPECT_EQ(plane.id, 9);
  }
}

TEST(ClassifyLine, ByPlaneAndName) {
  EXPECT_EQ(ClassifyLine(PlaneKind::kHost, "python3"), TrackKind::kThread);
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "Stream #14(Compute,Memset)"), TrackKind::kStream);
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "Stream #2"), TrackKind::kStream);
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "CUPTI overhead"), TrackKind::kOverhead);
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "_counters_"), TrackKind::kCounters);
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "Steps"), TrackKind::kSteps);
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "XLA Modules"), TrackKind::kModules);
  // Derived from the streams: as kOps its time would count twice.
  EXPECT_EQ(ClassifyLine(PlaneKind::kGpu, "XLA Ops"), TrackKind::kOther);
  EXPECT_EQ(ClassifyLine(PlaneKind::kTpu, "XLA Ops"), TrackKind::kOps);
  EXPECT_EQ(ClassifyLine(PlaneKind::kTpu, "Async XLA Ops"), TrackKind::kAsyncOps);
  EXPECT_EQ(ClassifyLine(PlaneKind::kTpu, "XLA Modules"), TrackKind::kModules);
  EXPECT_EQ(ClassifyLine(PlaneKind::kTpu, "Steps"), TrackKind::kSteps);
  EXPECT_EQ(ClassifyLine(PlaneKind::kTpu, "Framework Name Scope"), TrackKind::kOther);
  EXPECT_EQ(ClassifyLine(PlaneKind::kOther, "XLA Ops"), TrackKind::kOther);
}

TEST(LayoutOf, OnlyStreamsAndAsynchronousOperationsLieInLanes) {
  for (int kind = 0; kind <= static_cast<int>(TrackKind::kOther); ++kind) {
    const auto track = static_cast<TrackKind>(kind);
    const bool lanes = track == TrackKind::kStream || track == TrackKind::kAsyncOps;
    EXPECT_EQ(LayoutOf(track), lanes ? Layout::kLanes : Layout::kNested) << kind;
  }
}

}  // namespace
}  // namespace gait::xplane
