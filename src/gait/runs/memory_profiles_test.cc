#include "gait/runs/memory_profiles.h"

#include "gait/runs/names.h"

#include <gtest/gtest.h>

namespace gait::runs {
namespace {

TEST(MemoryProfiles, NumbersInNamesCountByValue) {
  EXPECT_TRUE(NaturallyBefore("step_9.prof", "step_10.prof"));
  EXPECT_FALSE(NaturallyBefore("step_10.prof", "step_9.prof"));
  EXPECT_TRUE(NaturallyBefore("a", "b"));
  EXPECT_TRUE(NaturallyBefore("a", "a1"));
  EXPECT_TRUE(NaturallyBefore("a01x", "a2x"));
  EXPECT_FALSE(NaturallyBefore("a", "a"));
}

TEST(MemoryProfiles, OneFileSeveralOrSomethingElse) {
  EXPECT_EQ(FindMemoryProfiles("x.prof", {})->size(), 1u);
  EXPECT_EQ(FindMemoryProfiles("x.prof", {"y.prof", "z.prof"})->size(), 3u);
  EXPECT_TRUE(FindMemoryProfiles("runs", {})->empty());
  EXPECT_EQ(FindMemoryProfiles("runs", {"y.prof"}).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace gait::runs
