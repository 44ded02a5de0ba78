// Counter: a quantity over time that holds each value until the next one (bytes in use, bytes per second).
//
// Of a bucket, low and high are the extremes in it, mean is the integral over the bucket divided by its
// length, and last is the value at its end. Before the first point the value is 0 and no bucket is listed.
// Memory: 40 bytes a point. A window costs O(buckets * log points + points / 64).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gait/base/units.h"
#include "gait/timeline/slice_row.h"

namespace gait::timeline {

struct CounterPoint {
  Ps time;
  double value;  // from then on
};

struct CounterTile {
  struct Bucket {
    uint32_t bucket;
    double low, high, mean, last;
  };
  // In ascending order: the first bucket of the window, and buckets in which the value changes. A value holds
  // until the next bucket.
  std::vector<Bucket> buckets;
};

class Counter {
 public:
  // `points` are in order of time; of several points at one time the last counts.
  explicit Counter(const std::vector<CounterPoint>& points);

  CounterTile Look(const Window& window) const;

  const std::vector<CounterPoint>& points() const { return points_; }
  double high() const { return high_; }

 private:
  struct Range {
    double low, high;
  };
  static constexpr size_t kGroup = 64;

  size_t After(Ps time) const;  // the first point later than that
  double Integral(Ps time, size_t after) const;
  void Widen(Range& range, size_t first, size_t last) const;  // by the points [first, last)

  std::vector<CounterPoint> points_;
  std::vector<double> integral_;  // up to each point
  std::vector<Range> groups_;     // of kGroup points
  double high_ = 0;
};

}  // namespace gait::timeline
