#include "gait/timeline/counter.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace gait::timeline {

Counter::Counter(const std::vector<CounterPoint>& points) {
  points_.reserve(points.size());
  for (const CounterPoint& point : points) {
    if (!points_.empty() && points_.back().time == point.time) {
      points_.back() = point;
    } else {
      points_.push_back(point);
    }
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  double sum = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (i > 0) {
      sum += points_[i - 1].value * static_cast<double>((points_[i].time - points_[i - 1].time).value());
    }
    integral_.push_back(sum);
    if (i % kGroup == 0) groups_.push_back({kMost, -kMost});
    groups_.back().low = std::min(groups_.back().low, points_[i].value);
    groups_.back().high = std::max(groups_.back().high, points_[i].value);
    high_ = std::max(high_, points_[i].value);
  }
}

size_t Counter::After(Ps time) const {
  return static_cast<size_t>(std::ranges::upper_bound(points_, time, {}, &CounterPoint::time) -
                             points_.begin());
}

double Counter::Integral(Ps time, size_t after) const {
  if (after == 0) return 0;
  const CounterPoint& point = points_[after - 1];
  return integral_[after - 1] + point.value * static_cast<double>((time - point.time).value());
}

void Counter::Widen(Range& range, size_t first, size_t last) const {
  const auto take = [&](Range r) {
    range.low = std::min(range.low, r.low);
    range.high = std::max(range.high, r.high);
  };
  while (first < last) {
    if (first % kGroup == 0 && first + kGroup <= last) {
      take(groups_[first / kGroup]);
      first += kGroup;
    } else {
      take({points_[first].value, points_[first].value});
      ++first;
    }
  }
}

CounterTile Counter::Look(const Window& window) const {
  CounterTile tile;
  if (points_.empty()) return tile;
  const auto bucket_of = [&](Ps time) {
    return static_cast<uint32_t>((time - window.begin).value() >> window.level);
  };
  uint32_t b = 0;
  if (points_[0].time > window.begin) {
    if (points_[0].time >= window.end()) return tile;
    b = bucket_of(points_[0].time);
  }
  while (true) {
    const Ps begin = window.begin + window.width() * b;
    const Ps end = begin + window.width();
    const size_t after = After(begin);
    const size_t next = After(end - Ps(1));  // points at the end belong to the next bucket
    const double before = after > 0 ? points_[after - 1].value : 0;
    Range range{before, before};
    Widen(range, after, next);
    const double area = Integral(end, next) - Integral(begin, after);
    const double mean = next == after ? before : area / static_cast<double>(window.width().value());
    // Sums of many points have an error; a mean does not lie outside of what it is the mean of.
    tile.buckets.push_back(
        {b, range.low, range.high, std::clamp(mean, range.low, range.high), points_[next - 1].value});
    if (next >= points_.size() || points_[next].time >= window.end()) return tile;
    // A bucket that follows without a change holds one value: it is listed so that the mean ends there.
    const uint32_t following = bucket_of(points_[next].time);
    const bool settles = next > after && following > b + 1;
    b = settles ? b + 1 : following;
  }
}

}  // namespace gait::timeline
