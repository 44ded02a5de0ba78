#include "gait/base/nearly_sorted.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace gait {
namespace {

TEST(SortNearlySorted, SortsWhateverTheOrder) {
  std::mt19937 random(1);
  for (const size_t size : {0, 1, 2, 3, 10, 1000}) {
    std::vector<int> sorted(size);
    std::iota(sorted.begin(), sorted.end(), 0);
    for (const size_t distance : {size_t{0}, size_t{1}, size_t{4}, size}) {
      std::vector<int> values = sorted;
      for (size_t i = 0; i + distance < size; ++i)
        std::swap(values[i], values[i + random() % (distance + 1)]);
      SortNearlySorted(values, std::identity());
      EXPECT_EQ(values, sorted) << size << " values, up to " << distance << " places off";
    }
    std::vector<int> backwards(sorted.rbegin(), sorted.rend());
    SortNearlySorted(backwards, std::identity());
    EXPECT_EQ(backwards, sorted);
  }
}

}  // namespace
}  // namespace gait
