#include "gait/timeline/slice_row.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace gait::timeline {

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
        cut_(row.KnowsBorders(window)),
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

  // The two sides of a leaf of narrow pieces that lies in two buckets; null: they are not known.
  const Cut* TwoSides(const Leaf& leaf) const {
    if (!cut_ || leaf.begin < window_.begin || leaf.end > end_ || leaf.longest >= wide_) return nullptr;
    if (static_cast<uint64_t>(leaf.busy.value()) > kMostBusy) return nullptr;
    const Ps border = EndOf(BucketOf(leaf.begin));
    return leaf.end <= border + window_.width() ? &row_.cuts_[row_.CutNumber(border)] : nullptr;
  }

  void AddCut(const Cut& cut, const Leaf& leaf, size_t first, size_t count) {
    const Ps busy(static_cast<int64_t>(cut.busy));
    Bucket* bucket = &buckets_[BucketOf(leaf.begin)];
    AddPart(bucket[0], busy, first, cut.count);
    bucket[0].heaviest.Merge(cut.before);
    AddPart(bucket[1], leaf.busy - busy, first + cut.count - cut.reaches, count - cut.count);
    bucket[1].heaviest.Merge(cut.behind);
  }

  void AddPart(Bucket& bucket, Ps busy, size_t first, size_t count) {
    bucket.busy += busy;
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
      AddPart(*bucket, branch.busy, first, std::min((k + 1) << shift, row_.count_) - first);
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
      AddPart(*bucket, leaf.busy, first, last - first);
      bucket->heaviest.Merge(leaf.majority);
      return true;
    }
    if (const Cut* cut = TwoSides(leaf)) {
      AddCut(*cut, leaf, first, last - first);
      return true;
    }
    const Opened opened = row_.Open(k);
    Ps reached = row_.reached_.empty() ? kBefore : row_.reached_[k];
    for (size_t i = 0; i < opened.count && opened.slices[i].begin < end_; ++i) {
      const Interval slice = opened.slices[i];
      AddSlice(opened.events[i], opened.names[i], slice, std::max(slice.begin, reached));
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
    if (entered_.contains(slice.begin) && slice.end <= entered_.end) {  // in the bucket of the one before
      AddTime(name, std::max(slice.end - piece, Ps()));
      ++bucket_->count;
      return;
    }
    if (slice.begin >= window_.begin) {
      Enter(BucketOf(slice.begin), e);
      ++bucket_->count;
      AddTime(name, Ps());  // its piece may be empty, or lie behind the bucket
    }
    Ps from = std::max(piece, window_.begin);
    const Ps to = std::min(slice.end, end_);
    while (from < to) {
      Enter(BucketOf(from), e);
      const Ps until = std::min(to, entered_.end);
      AddTime(name, until - from);
      from = until;
    }
  }

  void AddTime(uint32_t name, Ps time) {
    bucket_->busy += time;
    majority_.Add(name, Weight(time));
  }

  // Names are collected cheaply while the bucket stays the same.
  void Enter(uint32_t bucket, EventIndex e) {
    if (&buckets_[bucket] == bucket_) return;
    Flush();
    bucket_ = &buckets_[bucket];
    entered_ = {EndOf(bucket) - window_.width(), EndOf(bucket)};
    if (bucket_->event == kNoName) bucket_->event = e.value;
  }

  void Flush() {
    if (bucket_ != nullptr) bucket_->heaviest.Merge(majority_);
    bucket_ = nullptr;
    entered_ = {};
    majority_ = {};
  }

  const SliceRow& row_;
  const Window& window_;
  Ps end_;
  Ps most_;
  int wide_;  // logarithm of the narrowest wide piece
  bool cut_;  // whether the row has cuts at the borders of the buckets
  std::vector<Bucket> buckets_;
  SliceTile tile_;
  Bucket* bucket_ = nullptr;  // that of the last slice of the leaf
  Interval entered_;          // its time; empty: there is none
  Majority majority_;         // of what was added to it from this leaf
};

bool SliceRow::KnowsBorders(const Window& window) const {
  const int64_t beside = (int64_t{1} << cut_level_) - 1;
  return !cuts_.empty() && window.level >= cut_level_ && ((window.begin - cuts_begin_).value() & beside) == 0;
}

SliceTile SliceRow::Look(const Window& window, Drawing drawing) const {
  if (count_ == 0 || window.buckets == 0) return {};
  return Painter(*this, window, drawing).Paint();
}

}  // namespace gait::timeline
