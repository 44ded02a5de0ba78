#include "gait/analyze/vocabulary/python_frames.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(PythonFrames, OfGaitAreTheProfilers) {
  for (const char* name : {"$_ending.py:25 wait_until", "$_term.py:116 _listen", "$_capture.py:236 end"}) {
    EXPECT_EQ(KindOfName(name), HostKind::kProfiler) << name;
    EXPECT_EQ(WorkOfName(name), HostWork::kNone) << name;
    EXPECT_FALSE(IsUserFrame(name)) << name;
  }
  for (const char* name : {"$_inflight.py:74 wait", "$_jax.py:180 wait_for_devices"}) {
    EXPECT_EQ(KindOfName(name), HostKind::kPython) << name;
    EXPECT_EQ(WorkOfName(name), HostWork::kSync) << name;
    EXPECT_FALSE(IsUserFrame(name)) << name;
  }
  EXPECT_TRUE(IsUserFrame("$_capture.py:3 take_picture"));
}

TEST(PythonFrames, OfUsersAndOfLibraries) {
  for (const char* name : {"$train.py:83 next_batch", "$mk.py:14 slow_load"})
    EXPECT_TRUE(IsUserFrame(name)) << name;
  for (const char* name :
       {"$time sleep", "$api.py:3165 try_to_block", "$<frozen importlib>:1 f", "train.py:3"})
    EXPECT_FALSE(IsUserFrame(name)) << name;
  EXPECT_TRUE(IsBareWait("$<unknown> acquire"));
  EXPECT_TRUE(IsBareWait("$threading.py:323 wait"));
  EXPECT_FALSE(IsBareWait("$queue.py:154 get"));
  EXPECT_FALSE(IsBareWait("$time sleep"));
  EXPECT_TRUE(IsSleeping("$time sleep"));
  EXPECT_FALSE(IsSleeping("$train.py:3 sleep"));
  EXPECT_FALSE(IsSleeping("$time time"));
}

}  // namespace
}  // namespace gait::analyze
