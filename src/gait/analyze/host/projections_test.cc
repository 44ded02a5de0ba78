#include "gait/analyze/host/projections.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(HostPart, TheInnermostThatSaysMoreThanDispatch) {
  EXPECT_EQ(Name(ProjectionOf(WorkOf(HostKind::kAnnotation, "load_batch")).part), "fetch");
  EXPECT_EQ(Name(ProjectionOf(WorkOf(HostKind::kStep, "load_batch")).part), "rest");
  EXPECT_EQ(PartWithin(HostPart::kFetch, HostPart::kNone), HostPart::kFetch);
  EXPECT_EQ(PartWithin(HostPart::kFetch, HostPart::kToDevice), HostPart::kToDevice);
  EXPECT_EQ(PartWithin(HostPart::kToDevice, HostPart::kDispatch), HostPart::kToDevice);
  EXPECT_EQ(PartWithin(HostPart::kNone, HostPart::kDispatch), HostPart::kDispatch);
  EXPECT_EQ(PartWithin(HostPart::kCompile, HostPart::kWait), HostPart::kCompile);
}

}  // namespace
}  // namespace gait::analyze
