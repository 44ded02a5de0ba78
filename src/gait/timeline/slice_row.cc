#include "gait/timeline/slice_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "gait/base/thread_pool.h"

namespace gait::timeline {
namespace {

constexpr size_t kFewSlices = 100'000;  // not worth a thread
constexpr Ps kBefore = Ps(std::numeric_limits<int64_t>::min());

float Weight(Ps time) { return static_cast<float>(time.value()); }

}  // namespace

// Takes the slices of a row one after the other and sums up each group of them.
class SliceRow::Builder {
 public:
  explicit Builder(SliceRow& row) : row_(row) {}

  void Add(EventIndex e) {
    const Ps begin = row_.track_.begin(e);
    const Ps end = begin + row_.track_.duration(e);
    if ((row_.count_ & (kGroup - 1)) == 0) Open(begin);
    ++row_.count_;
    overlaps_ |= begin < reached_;
    const Ps piece = std::max(end - std::max(begin, reached_), Ps());
    if (piece > Ps()) leaf_.end = end;
    leaf_.busy += piece;
    longest_ = std::max(longest_, piece);
    leaf_.majority.Add(row_.names_[e.value], Weight(piece));
    last_begin_ = begin;
    reached_ = std::max(reached_, end);
  }

  void Finish() {
    Close();
    if (!overlaps_) row_.reached_ = {};
    row_.BuildBranches();
  }

 private:
  void Open(Ps begin) {
    Close();
    row_.reached_.push_back(reached_);
    leaf_ = {};
    leaf_.begin = begin;
    leaf_.end = begin;
    longest_ = Ps();
  }

  void Close() {
    if (row_.count_ == 0) return;
    leaf_.end = std::max(leaf_.end, last_begin_ + Ps(1));
    leaf_.longest = static_cast<int8_t>(std::bit_width(static_cast<uint64_t>(longest_.value())) - 1);
    row_.leaves_.push_back(leaf_);
  }

  SliceRow& row_;
  Leaf leaf_;
  Ps longest_;
  Ps last_begin_;
  Ps reached_ = kBefore;
  bool overlaps_ = false;
};

SliceRow::SliceRow(const Track& track, std::span<const uint32_t> names, size_t expected)
    : track_(track), names_(names) {
  leaves_.reserve((expected + kGroup - 1) / kGroup);
  reached_.reserve(leaves_.capacity());
}

SliceRow::SliceRow(const Track& track, std::span<const uint32_t> names)
    : SliceRow(track, names, track.size()) {
  Builder builder(*this);
  for (size_t i = 0; i < track.size(); ++i) builder.Add(EventIndex(i));
  builder.Finish();
}

std::vector<SliceRow> SliceRow::Lanes(const Track& track, std::span<const uint32_t> names) {
  std::vector<size_t> counts(track.lanes());
  for (size_t i = 0; i < track.size(); ++i) ++counts[track.lane(EventIndex(i))];
  std::vector<SliceRow> rows;
  std::vector<Builder> builders;
  rows.reserve(counts.size());
  builders.reserve(counts.size());
  for (const size_t count : counts) {
    SliceRow& row = rows.emplace_back(SliceRow(track, names, count));
    row.order_.reserve(count);
    builders.emplace_back(row);
  }
  // In the order of the track: its columns are read one behind the other, by each thread for its lanes.
  const size_t threads = track.size() < kFewSlices ? 1 : std::min<size_t>(DefaultThreads(), rows.size());
  ForEach(threads, threads, [&](size_t part) {
    for (size_t i = 0; i < track.size(); ++i) {
      const uint32_t lane = track.lane(EventIndex(i));
      if (lane % threads != part) continue;
      rows[lane].order_.push_back(static_cast<uint32_t>(i));
      builders[lane].Add(EventIndex(i));
    }
  });
  for (Builder& builder : builders) builder.Finish();
  return rows;
}

void SliceRow::BuildBranches() {
  if (leaves_.size() > 1) branches_.push_back(BuildAbove(leaves_));
  while (!branches_.empty() && branches_.back().size() > 1) branches_.push_back(BuildAbove(branches_.back()));
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

std::pair<EventIndex, EventIndex> SliceRow::Beside(EventIndex slice) const {
  const size_t at = order_.empty()
                        ? slice.value
                        : static_cast<size_t>(std::ranges::lower_bound(order_, slice.value) - order_.begin());
  return {at == 0 ? EventIndex() : event(at - 1), at + 1 < count_ ? event(at + 1) : EventIndex()};
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
    // The slices of a lane lie apart from each other in the columns of the track: fetched together, the
    // processor waits for all of them once.
    std::array<Interval, kGroup> slices;
    std::array<uint32_t, kGroup> names;
    for (size_t i = first; i < last; ++i) {
      const EventIndex e = row_.event(i);
      slices[i - first] = row_.track_.interval(e);
      names[i - first] = row_.names_[e.value];
    }
    Ps reached = row_.reached_.empty() ? kBefore : row_.reached_[k];
    for (size_t i = first; i < last; ++i) {
      const Interval slice = slices[i - first];
      if (slice.begin >= end_) break;
      AddSlice(row_.event(i), names[i - first], slice, std::max(slice.begin, reached));
      reached = std::max(reached, slice.end);
    }
    Flush();
    return true;
  }

  // The piece is what lies from `piece` on.
  void AddSlice(EventIndex e, uint32_t name, Interval slice, Ps piece) {
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
