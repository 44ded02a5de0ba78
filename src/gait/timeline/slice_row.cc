#include "gait/timeline/slice_row.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
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
  if (leaves_.size() > 1) branches_.push_back(BuildAbove(leaves_));
  while (!branches_.empty() && branches_.back().size() > 1) branches_.push_back(BuildAbove(branches_.back()));
}

void SliceRow::BuildLeaves() {
  leaves_.reserve((count_ + kGroup - 1) / kGroup);
  reached_.reserve(leaves_.capacity());
  bool overlaps = false;
  Ps reached = kBefore;
  for (size_t first = 0; first < count_; first += kGroup) {
    reached_.push_back(reached);
    const size_t last = std::min(first + kGroup, count_);
    Leaf leaf;
    leaf.begin = begin(first);
    leaf.end = leaf.begin;
    Ps longest;
    for (size_t i = first; i < last; ++i) {
      const EventIndex e = event(i);
      const Ps slice_begin = track_.begin(e);
      const Ps end = slice_begin + track_.duration(e);
      overlaps |= slice_begin < reached;
      const Ps piece = std::max(end - std::max(slice_begin, reached), Ps());
      if (piece > Ps()) leaf.end = end;
      leaf.busy += piece;
      longest = std::max(longest, piece);
      leaf.majority.Add(names_[e.value], Weight(piece));
      reached = std::max(reached, end);
    }
    leaf.end = std::max(leaf.end, begin(last - 1) + Ps(1));
    leaf.longest = static_cast<int8_t>(std::bit_width(static_cast<uint64_t>(longest.value())) - 1);
    leaves_.push_back(leaf);
  }
  if (!overlaps) reached_ = {};
}

template <typename Below>
std::vector<SliceRow::Branch> SliceRow::BuildAbove(const std::vector<Below>& below) {
  std::vector<Branch> above;
  above.reserve((below.size() + kGroup - 1) / kGroup);
  for (size_t first = 0; first < below.size(); first += kGroup) {
    Branch branch;
    static_cast<Sum&>(branch) = below[first];
    branch.busy = Ps();
    for (size_t i = first; i < std::min(first + kGroup, below.size()); ++i) {
      branch.end = std::max(branch.end, below[i].end);
      branch.busy += below[i].busy;
      branch.longest = std::max(branch.longest, below[i].longest);
      if constexpr (std::is_same_v<Below, Leaf>) {
        branch.heaviest.Merge(below[i].majority);
      } else {
        branch.heaviest.Merge(below[i].heaviest);
      }
    }
    above.push_back(branch);
  }
  return above;
}

size_t SliceRow::memory() const {
  size_t bytes = order_.capacity() * sizeof(uint32_t) + reached_.capacity() * sizeof(Ps);
  bytes += leaves_.capacity() * sizeof(Leaf);
  for (const auto& level : branches_) bytes += level.capacity() * sizeof(Branch);
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
      : row_(row),
        window_(window),
        end_(window.end()),
        // A longer piece than this is drawn as itself.
        most_(drawing == Drawing::kSlices ? window.width() - Ps(1) : kMaxTime * 2),
        wide_(drawing == Drawing::kSlices ? window.level : std::numeric_limits<int8_t>::max()),
        buckets_(window.buckets) {}

  SliceTile Paint() && {
    if (row_.branches_.empty()) {
      VisitLeaf(0);
    } else {
      Visit(row_.branches_.size() - 1, 0);
    }
    for (uint32_t b = 0; b < window_.buckets; ++b) {
      const Bucket& bucket = buckets_[b];
      if (bucket.event == kNoName) continue;
      tile_.buckets.push_back({b, bucket.count, bucket.heaviest.name(), bucket.event, bucket.busy});
    }
    return std::move(tile_);
  }

 private:
  struct Bucket {
    Ps busy;
    uint32_t count = 0;
    uint32_t event = kNoName;
    Heaviest heaviest;
  };

  uint32_t BucketOf(Ps time) const {
    return static_cast<uint32_t>((time - window_.begin).value() >> window_.level);
  }
  Ps EndOf(uint32_t bucket) const { return window_.begin + window_.width() * (int64_t{bucket} + 1); }

  // The bucket that holds the whole group, all of whose pieces are narrow; null: there is none.
  Bucket* Whole(const Sum& sum) {
    if (sum.begin < window_.begin || sum.longest >= wide_) return nullptr;
    const uint32_t bucket = BucketOf(sum.begin);
    return sum.end <= EndOf(bucket) ? &buckets_[bucket] : nullptr;
  }

  void AddWhole(Bucket& bucket, const Sum& sum, size_t first, size_t count) {
    bucket.busy += sum.busy;
    bucket.count += static_cast<uint32_t>(count);
    if (bucket.event == kNoName) bucket.event = row_.event(first).value;
  }

  // False: it begins behind the window, and so does all that follows.
  bool Visit(size_t height, size_t k) {
    const Branch& branch = row_.branches_[height][k];
    if (branch.begin >= end_) return false;
    if (branch.end <= window_.begin) return true;
    if (Bucket* bucket = Whole(branch)) {
      const unsigned shift = kShift * static_cast<unsigned>(height + 2);
      const size_t first = k << shift;
      AddWhole(*bucket, branch, first, std::min((k + 1) << shift, row_.count_) - first);
      bucket->heaviest.Merge(branch.heaviest);
      return true;
    }
    const size_t below = height == 0 ? row_.leaves_.size() : row_.branches_[height - 1].size();
    for (size_t child = k << kShift; child < std::min((k + 1) << kShift, below); ++child) {
      if (!(height == 0 ? VisitLeaf(child) : Visit(height - 1, child))) return false;
    }
    return true;
  }

  bool VisitLeaf(size_t k) {
    const Leaf& leaf = row_.leaves_[k];
    if (leaf.begin >= end_) return false;
    if (leaf.end <= window_.begin) return true;
    const size_t first = k << kShift;
    const size_t last = std::min(first + kGroup, row_.count_);
    if (Bucket* bucket = Whole(leaf)) {
      AddWhole(*bucket, leaf, first, last - first);
      bucket->heaviest.Merge(leaf.majority);
      return true;
    }
    Ps reached = row_.reached_.empty() ? kBefore : row_.reached_[k];
    for (size_t i = first; i < last; ++i) {
      const EventIndex e = row_.event(i);
      const Ps begin = row_.track_.begin(e);
      if (begin >= end_) break;
      const Ps end = begin + row_.track_.duration(e);
      AddSlice(e, {begin, end}, std::max(begin, reached));
      reached = std::max(reached, end);
    }
    Flush();
    return true;
  }

  // The piece is what lies from `piece` on.
  void AddSlice(EventIndex e, Interval slice, Ps piece) {
    const uint32_t name = row_.names_[e.value];
    if (slice.end - piece > most_) {
      if (slice.end > window_.begin) tile_.slices.push_back({slice.begin, slice.length(), name, e.value});
      return;
    }
    if (slice.begin >= window_.begin) {
      Bucket& bucket = Enter(BucketOf(slice.begin));
      ++bucket.count;
      if (bucket.event == kNoName) bucket.event = e.value;
      majority_.Add(name, 0);  // its piece may be empty, or lie behind the bucket
    }
    Ps from = std::max(piece, window_.begin);
    const Ps to = std::min(slice.end, end_);
    while (from < to) {
      const uint32_t at = BucketOf(from);
      const Ps until = std::min(to, EndOf(at));
      Bucket& bucket = Enter(at);
      bucket.busy += until - from;
      if (bucket.event == kNoName) bucket.event = e.value;
      majority_.Add(name, Weight(until - from));
      from = until;
    }
  }

  // Names are collected cheaply while the bucket stays the same.
  Bucket& Enter(uint32_t bucket) {
    if (bucket != current_) {
      Flush();
      current_ = bucket;
    }
    return buckets_[bucket];
  }

  void Flush() {
    if (current_ != kNoName) buckets_[current_].heaviest.Merge(majority_);
    current_ = kNoName;
    majority_ = {};
  }

  const SliceRow& row_;
  const Window& window_;
  Ps end_;
  Ps most_;
  int wide_;  // logarithm of the narrowest wide piece
  std::vector<Bucket> buckets_;
  SliceTile tile_;
  uint32_t current_ = kNoName;
  Majority majority_;
};

SliceTile SliceRow::Look(const Window& window, Drawing drawing) const {
  if (count_ == 0 || window.buckets == 0) return {};
  return Painter(*this, window, drawing).Paint();
}

}  // namespace gait::timeline
