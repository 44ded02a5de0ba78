#include "gait/analyze/time/interval_prefix_cursor.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(IntervalPrefixCursor, AnswersAsTheSetDoes) {
  const std::vector<IntervalSet> sets = {
      {}, {{Ps(10), Ps(20)}}, {{Ps(-5), Ps(3)}, {Ps(4), Ps(5)}, {Ps(12), Ps(30)}, {Ps(31), Ps(40)}}};
  for (const IntervalSet& intervals : sets) {
    const IntervalPrefixSum set(intervals);
    IntervalPrefixCursor forward(set);
    IntervalPrefixCursor anywhere(set);
    for (int64_t begin = -8; begin < 45; ++begin) {
      for (int64_t end = begin; end < 45; ++end) {
        const Interval window{Ps(begin), Ps(end)};
        EXPECT_EQ(forward.Inside(window), set.Inside(window)) << begin << " to " << end;
        EXPECT_EQ(forward.Contains(window.begin), set.Contains(window.begin)) << begin;
        const Interval other{Ps(begin * 17 % 41), Ps(begin * 17 % 41 + end % 7)};
        EXPECT_EQ(anywhere.Inside(other), set.Inside(other));
        EXPECT_EQ(anywhere.Contains(other.end), set.Contains(other.end));
      }
    }
  }
}

}  // namespace
}  // namespace gait::analyze
