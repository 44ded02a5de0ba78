// How the rows of a timeline are summed up.
#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

#include "gait/base/thread_pool.h"
#include "gait/timeline/slice_row.h"

namespace gait::timeline {
namespace {

// Slices that are worth a thread's while, and whose columns stay close to its processor.
constexpr size_t kBlock = 65'536;
// A cut is 24 bytes: at most one and a half for each slice.
constexpr size_t kSlicesACut = 16;
// Fewer than the buckets of a picture of the whole row would serve none.
constexpr size_t kFewestCuts = 1024;

// The events of a track in blocks, and how many slices of each lane lie before a block's end. The sizes of
// both are such that this table stays small, whatever the number of lanes.
class LaneCounts {
 public:
  explicit LaneCounts(const Track& track)
      : lanes_(track.lanes()),
        size_(track.size()),
        block_(std::max<size_t>(kBlock, 64 * lanes_)),
        blocks_((size_ + block_ - 1) / block_),
        before_((blocks_ + 1) * lanes_) {
    ForEach(blocks_, DefaultThreads(), [&](size_t block) {
      uint32_t* counts = &before_[(block + 1) * lanes_];
      for (size_t i = begin(block); i < end(block); ++i) ++counts[track.lane(EventIndex(i))];
    });
    for (size_t i = lanes_; i < before_.size(); ++i) before_[i] += before_[i - lanes_];
  }

  size_t blocks() const { return blocks_; }
  size_t begin(size_t block) const { return block * block_; }
  size_t end(size_t block) const { return std::min(begin(block + 1), size_); }
  size_t before(size_t block, size_t lane) const { return before_[block * lanes_ + lane]; }
  size_t all(size_t lane) const { return before(blocks_, lane); }

 private:
  size_t lanes_, size_, block_, blocks_;
  std::vector<uint32_t> before_;
};

}  // namespace

void SliceRow::Reserve(size_t count, Ps offset, bool cut) {
  count_ = count;
  leaves_.resize((count + kGroup - 1) / kGroup);
  const size_t most = count / kSlicesACut;
  if (!cut || most < kFewestCuts) return;
  const Interval span = track_.span();
  const auto cuts = [&] {
    cuts_begin_ = Ps((span.begin + offset).value() >> cut_level_ << cut_level_) - offset;
    return CutNumber(span.end) + 1;
  };
  while (cuts() > most) ++cut_level_;
  cuts_.resize(cuts());
}

SliceRow::SliceRow(const Track& track, std::span<const uint32_t> names, Ps offset)
    : track_(track), names_(names) {
  const bool overlap = track.lanes() > 1;
  Reserve(track.size(), offset, !overlap);
  Finish(overlap || SumLeaves());
}

std::vector<SliceRow> SliceRow::Lanes(const Track& track, std::span<const uint32_t> names, Ps offset) {
  const LaneCounts counts(track);
  std::vector<SliceRow> rows(track.lanes(), SliceRow(track, names));
  ForEach(rows.size(), DefaultThreads(), [&](size_t lane) {
    rows[lane].order_.resize(counts.all(lane));
    rows[lane].Reserve(counts.all(lane), offset, true);
  });
  // In the order of the track: its columns are read one behind the other.
  ForEach(counts.blocks(), DefaultThreads(), [&](size_t block) {
    std::vector<size_t> next(rows.size());
    for (size_t lane = 0; lane < rows.size(); ++lane) next[lane] = counts.before(block, lane);
    for (size_t i = counts.begin(block); i < counts.end(block); ++i) {
      const uint32_t lane = track.lane(EventIndex(i));
      rows[lane].order_[next[lane]++] = static_cast<uint32_t>(i);
    }
  });
  // And the leaves whose last slice lies in the block.
  std::vector<std::atomic<bool>> overlap(rows.size());
  ForEach(counts.blocks(), DefaultThreads(), [&](size_t block) {
    for (size_t lane = 0; lane < rows.size(); ++lane) {
      const auto leaves = [&](size_t before) {
        return before == rows[lane].count_ ? rows[lane].leaves_.size() : before >> kShift;
      };
      const size_t first = leaves(counts.before(block, lane));
      if (rows[lane].SumLeaves(first, leaves(counts.before(block + 1, lane)))) overlap[lane] = true;
    }
  });
  ForEach(rows.size(), DefaultThreads(), [&](size_t lane) { rows[lane].Finish(overlap[lane]); });
  return rows;
}

bool SliceRow::SumLeaves() {
  constexpr size_t kLeaves = kBlock / kGroup;
  std::atomic<bool> overlap = false;
  ForEach((leaves_.size() + kLeaves - 1) / kLeaves, DefaultThreads(), [&](size_t i) {
    if (SumLeaves(i * kLeaves, std::min((i + 1) * kLeaves, leaves_.size()))) overlap = true;
  });
  return overlap;
}

bool SliceRow::SumLeaves(size_t first, size_t last) {
  bool overlap = false;
  for (size_t k = first; k < last; ++k) overlap |= SumLeaf(k);
  return overlap;
}

bool SliceRow::SumLeaf(size_t k) {
  bool overlap = false;
  const Opened opened = Open(k);
  Leaf leaf;
  leaf.begin = opened.slices[0].begin;
  leaf.end = leaf.begin;
  Ps longest;
  Ps reached = k == 0 ? kBefore : reached_.empty() ? track_.end(event((k << kShift) - 1)) : reached_[k];
  for (size_t i = 0; i < opened.count; ++i) {
    const Interval slice = opened.slices[i];
    overlap |= slice.begin < reached;
    const Ps piece = std::max(slice.end - std::max(slice.begin, reached), Ps());
    if (piece > Ps()) leaf.end = slice.end;
    leaf.busy += piece;
    longest = std::max(longest, piece);
    leaf.majority.Add(opened.names[i], Weight(piece));
    reached = std::max(reached, slice.end);
  }
  leaf.end = std::max(leaf.end, opened.slices[opened.count - 1].begin + Ps(1));
  leaf.longest = static_cast<int8_t>(std::bit_width(static_cast<uint64_t>(longest.value())) - 1);
  leaves_[k] = leaf;
  if (!cuts_.empty()) CutLeaf(leaf, opened);
  return overlap;
}

void SliceRow::CutLeaf(const Leaf& leaf, const Opened& opened) {
  const Ps width(int64_t{1} << cut_level_);
  size_t k = CutNumber(leaf.begin) + 1;
  for (Ps at = cuts_begin_ + width * static_cast<int64_t>(k); at < leaf.end; at += width) {
    cuts_[k++] = CutAt(opened, at);
  }
}

// What Painter would add to both sides if it opened the leaf.
SliceRow::Cut SliceRow::CutAt(const Opened& opened, Ps time) {
  Cut cut;
  Ps busy;
  for (size_t i = 0; i < opened.count; ++i) {
    const Interval slice = opened.slices[i];
    if (slice.begin < time) {
      ++cut.count;
      const Ps part = std::min(slice.end, time) - slice.begin;
      busy += part;
      cut.before.Add(opened.names[i], Weight(part));
      cut.reaches = slice.end > time;
    }
    if (slice.begin >= time || slice.end > time) {
      cut.behind.Add(opened.names[i], Weight(slice.end - std::max(slice.begin, time)));
    }
  }
  cut.busy = static_cast<uint64_t>(busy.value()) & kMostBusy;
  return cut;
}

void SliceRow::Finish(bool overlap) {
  if (overlap) {
    cuts_ = std::vector<Cut>();
    reached_.resize(leaves_.size());
    Ps reached = kBefore;
    for (size_t i = 0; i < count_; ++i) {
      if (i % kGroup == 0) reached_[i >> kShift] = reached;
      reached = std::max(reached, track_.end(event(i)));
    }
    SumLeaves();
  }
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

}  // namespace gait::timeline
