#include "gait/timeline/slice_row.h"

#include <algorithm>
#include <utility>

namespace gait::timeline {
namespace {

constexpr Ps kBefore = Ps(std::numeric_limits<int64_t>::min());

float Weight(Ps time) { return static_cast<float>(time.value()); }

}  // namespace

SliceRow::SliceRow(const Track& track, std::span<const uint32_t> names, std::vector<uint32_t> order)
    : track_(track),
      names_(names),
      order_(std::move(order)),
      count_(order_.empty() ? track.size() : order_.size()) {
  if (count_ == 0) return;
  BuildLeaves();
  BuildAbove();
}

void SliceRow::BuildLeaves() {
  constexpr size_t kGroup = size_t{1} << kShift;
  std::vector<Group>& leaves = groups_.emplace_back();
  leaves.reserve((count_ + kGroup - 1) / kGroup);
  reached_.reserve(leaves.capacity());
  bool overlaps = false;
  Ps reached = kBefore;
  for (size_t first = 0; first < count_; first += kGroup) {
    reached_.push_back(reached);
    Group group{Ps(), Ps(), begin(first), {}};
    for (size_t i = first; i < std::min(first + kGroup, count_); ++i) {
      const EventIndex e = event(i);
      const Ps slice_begin = track_.begin(e);
      const Ps end = slice_begin + track_.duration(e);
      overlaps |= slice_begin < reached;
      const Ps piece = end - std::max(slice_begin, reached);
      if (piece > Ps()) {
        group.busy += piece;
        group.longest = std::max(group.longest, piece);
        group.end = end;
      }
      group.heaviest.Add(names_[e.value], Weight(std::max(piece, Ps())));
      reached = std::max(reached, end);
    }
    leaves.push_back(group);
  }
  if (!overlaps) reached_ = {};
}

void SliceRow::BuildAbove() {
  constexpr size_t kGroup = size_t{1} << kShift;
  while (groups_.back().size() > 1) {
    std::vector<Group> above;
    const std::vector<Group>& below = groups_.back();
    above.reserve((below.size() + kGroup - 1) / kGroup);
    for (size_t first = 0; first < below.size(); first += kGroup) {
      Group group = below[first];
      for (size_t i = first + 1; i < std::min(first + kGroup, below.size()); ++i) {
        group.busy += below[i].busy;
        group.longest = std::max(group.longest, below[i].longest);
        group.end = std::max(group.end, below[i].end);
        group.heaviest.Merge(below[i].heaviest);
      }
      above.push_back(group);
    }
    groups_.push_back(std::move(above));
  }
}

size_t SliceRow::memory() const {
  size_t bytes = order_.capacity() * sizeof(uint32_t) + reached_.capacity() * sizeof(Ps);
  for (const auto& level : groups_) bytes += level.capacity() * sizeof(Group);
  return bytes;
}

std::optional<EventIndex> SliceRow::LastBefore(Ps time) const {
  size_t first = 0;
  size_t last = count_;
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    if (begin(middle) < time) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == 0) return std::nullopt;
  return event(first - 1);
}

// Goes through the forest from its top and fills the tile.
class SliceRow::Painter {
 public:
  Painter(const SliceRow& row, const Window& window, Drawing drawing)
      : row_(row), window_(window), drawing_(drawing), buckets_(window.buckets) {}

  SliceTile Paint() && {
    const size_t top = row_.groups_.size() - 1;
    for (size_t k = 0; k < row_.groups_[top].size(); ++k) Visit(top, k);
    for (uint32_t b = 0; b < window_.buckets; ++b) {
      const Sum& sum = buckets_[b];
      if (sum.event == kNoName) continue;
      tile_.buckets.push_back({b, sum.count, sum.heaviest.name(), sum.event, sum.busy});
    }
    return std::move(tile_);
  }

 private:
  struct Sum {
    Ps busy;
    uint32_t count = 0;
    uint32_t event = kNoName;
    Heaviest heaviest;
  };

  uint32_t BucketOf(Ps time) const {
    return static_cast<uint32_t>((time - window_.begin).value() >> window_.level);
  }
  Ps EndOf(uint32_t bucket) const { return window_.begin + window_.width() * (int64_t{bucket} + 1); }

  // False: it begins behind the window, and so does all that follows.
  bool Visit(size_t height, size_t k) {
    const unsigned shift = kShift * static_cast<unsigned>(height + 1);
    const size_t first = k << shift;
    const size_t last = std::min(((k + 1) << shift), row_.count_) - 1;
    const Group& group = row_.groups_[height][k];
    const Ps first_begin = row_.begin(first);
    if (first_begin >= window_.end()) return false;
    const Ps last_begin = row_.begin(last);
    if (last_begin < window_.begin && group.end <= window_.begin) return true;
    if (first_begin >= window_.begin) {
      const uint32_t bucket = BucketOf(first_begin);
      const Ps end = EndOf(bucket);
      if (last_begin < end && group.end <= end &&
          (drawing_ == Drawing::kBuckets || group.longest < window_.width())) {
        Sum& sum = buckets_[bucket];
        sum.busy += group.busy;
        sum.count += static_cast<uint32_t>(last - first + 1);
        if (sum.event == kNoName) sum.event = row_.event(first).value;
        sum.heaviest.Merge(group.heaviest);
        return true;
      }
    }
    if (height == 0) {
      for (size_t i = first; i <= last; ++i) Slice(i, k, first);
      return true;
    }
    const size_t children = std::min((k + 1) << kShift, row_.groups_[height - 1].size());
    for (size_t child = k << kShift; child < children; ++child) {
      if (!Visit(height - 1, child)) return false;
    }
    return true;
  }

  void Slice(size_t i, size_t leaf, size_t first) {
    const EventIndex e = row_.event(i);
    const Ps begin = row_.track_.begin(e);
    const Ps end = begin + row_.track_.duration(e);
    Ps piece = begin;
    if (!row_.reached_.empty()) {
      if (i == first) reached_ = row_.reached_[leaf];
      piece = std::max(begin, reached_);
      reached_ = std::max(reached_, end);
    }
    if (begin >= window_.end()) return;
    const uint32_t name = row_.names_[e.value];
    if (drawing_ == Drawing::kSlices && end - piece >= window_.width()) {
      if (end > window_.begin) tile_.slices.push_back({begin, end - begin, name, e.value});
      return;
    }
    if (begin >= window_.begin) {
      Sum& sum = buckets_[BucketOf(begin)];
      ++sum.count;
      if (sum.event == kNoName) sum.event = e.value;
      sum.heaviest.Add(name, 0);  // its piece may be empty, or lie behind the bucket
    }
    Cover(std::max(piece, window_.begin), std::min(end, window_.end()), name, e.value);
  }

  void Cover(Ps from, Ps to, uint32_t name, uint32_t event) {
    while (from < to) {
      const uint32_t bucket = BucketOf(from);
      const Ps until = std::min(to, EndOf(bucket));
      Sum& sum = buckets_[bucket];
      sum.busy += until - from;
      if (sum.event == kNoName) sum.event = event;
      sum.heaviest.Add(name, Weight(until - from));
      from = until;
    }
  }

  const SliceRow& row_;
  const Window& window_;
  Drawing drawing_;
  std::vector<Sum> buckets_;
  SliceTile tile_;
  Ps reached_;
};

SliceTile SliceRow::Look(const Window& window, Drawing drawing) const {
  if (count_ == 0 || window.buckets == 0) return {};
  return Painter(*this, window, drawing).Paint();
}

}  // namespace gait::timeline
