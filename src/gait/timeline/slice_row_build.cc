// How the rows of a timeline are summed up.
#include <algorithm>
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

int8_t Logarithm(Ps time) {
  return static_cast<int8_t>(std::bit_width(static_cast<uint64_t>(time.value())) - 1);
}

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

void SliceRow::Reserve(size_t count, bool overlap, PageArena& arena) {
  count_ = count;
  leaves_ = arena.Zeros<Leaf>((count + kGroup - 1) / kGroup);
  if (overlap) reached_ = arena.Zeros<Ps>(leaves_.size());
  const size_t most = count / kSlicesACut;
  if (overlap || most < kFewestCuts) return;
  const Interval span = track_.span();
  const auto cuts = [&] {
    cuts_begin_ = Ps(span.begin.value() >> cut_level_ << cut_level_);
    return CutNumber(span.end) + 1;
  };
  while (cuts() > most) ++cut_level_;
  cuts_ = arena.Zeros<Cut>(cuts());
}

SliceRow::SliceRow(const Track& track, std::span<const uint32_t> names, PageArena& arena)
    : track_(track), names_(names) {
  Reserve(track.size(), track.lanes() > 1 || track.crowded(), arena);
  if (!reached_.empty()) Reach();
  SumLeaves();
  AddBranches();
}

std::vector<SliceRow> SliceRow::Lanes(const Track& track, std::span<const uint32_t> names, PageArena& arena) {
  const LaneCounts counts(track);
  std::vector<SliceRow> rows(track.lanes(), SliceRow(track, names));
  for (size_t lane = 0; lane < rows.size(); ++lane) {
    rows[lane].order_ = arena.Zeros<uint32_t>(counts.all(lane));
    rows[lane].Reserve(counts.all(lane), track.crowded() && lane + 1 == rows.size(), arena);
  }
  // In the order of the track: its columns are read once, one behind the other. A leaf of a lane is summed up
  // when its last slice comes by.
  ForEach(counts.blocks(), DefaultThreads(), [&](size_t block) {
    struct Filling {
      size_t at;  // of the next slice in the row
      Opened opened;
    };
    std::vector<Filling> lanes(rows.size());
    for (size_t lane = 0; lane < rows.size(); ++lane) {
      lanes[lane].at = counts.before(block, lane);
      lanes[lane].opened.count = kGroup;
    }
    for (size_t i = counts.begin(block); i < counts.end(block); ++i) {
      const uint32_t lane = track.lane(EventIndex(i));
      SliceRow& row = rows[lane];
      Filling& filling = lanes[lane];
      const size_t at = filling.at++;
      row.order_[at] = static_cast<uint32_t>(i);
      row.Put(EventIndex(i), at % kGroup, filling.opened);
      if (at % kGroup == kGroup - 1 && at >= counts.before(block, lane) + kGroup - 1)
        row.SumLeaf(at >> kShift, filling.opened);
    }
  });
  ForEach(rows.size(), DefaultThreads(), [&](size_t lane) {
    SliceRow& row = rows[lane];
    if (!row.reached_.empty()) {
      row.Reach();
      row.SumLeaves();
    } else {
      // The leaves that begin in a block and do not end there.
      for (size_t block = 0; block < counts.blocks(); ++block) {
        const size_t leaf = counts.before(block + 1, lane) >> kShift;
        if (leaf << kShift < counts.before(block + 1, lane) && leaf << kShift >= counts.before(block, lane))
          row.SumLeaf(leaf, row.Open(leaf));
      }
    }
    row.AddBranches();
  });
  return rows;
}

void SliceRow::SumLeaves() {
  constexpr size_t kLeaves = kBlock / kGroup;
  ForEach((leaves_.size() + kLeaves - 1) / kLeaves, DefaultThreads(), [&](size_t i) {
    for (size_t k = i * kLeaves; k < std::min((i + 1) * kLeaves, leaves_.size()); ++k) SumLeaf(k, Open(k));
  });
}

void SliceRow::SumLeaf(size_t k, const Opened& opened) {
  if (!reached_.empty()) {
    leaves_[k] = SumPieces(opened, reached_[k]);
    return;
  }
  Befores befores;
  leaves_[k] = SumApart(opened, befores);
  if (!cuts_.empty()) CutLeaf(leaves_[k], opened, befores);
}

SliceRow::Leaf SliceRow::SumPieces(const Opened& opened, Ps reached) {
  Leaf leaf;
  leaf.begin = opened.slices[0].begin;
  leaf.end = opened.slices[opened.count - 1].begin + Ps(1);
  Ps longest;
  for (size_t i = 0; i < opened.count; ++i) {
    const Interval slice = opened.slices[i];
    const Ps piece = std::max(slice.end - std::max(slice.begin, reached), Ps());
    if (piece > Ps()) leaf.end = std::max(leaf.end, slice.end);
    leaf.busy += piece;
    longest = std::max(longest, piece);
    leaf.majority.Add(opened.names[i], Weight(piece));
    reached = std::max(reached, slice.end);
  }
  leaf.longest = Logarithm(longest);
  return leaf;
}

SliceRow::Leaf SliceRow::SumApart(const Opened& opened, Befores& befores) {
  Before sum;
  Ps longest;
  for (size_t i = 0; i < opened.count; ++i) {
    befores[i] = sum;
    const Ps length = opened.slices[i].length();
    sum.busy += length;
    sum.majority.Add(opened.names[i], Weight(length));
    longest = std::max(longest, length);
  }
  befores[opened.count] = sum;
  const Interval last = opened.slices[opened.count - 1];
  Leaf leaf;
  leaf.begin = opened.slices[0].begin;
  leaf.end = std::max(last.end, last.begin + Ps(1));
  leaf.busy = sum.busy;
  leaf.longest = Logarithm(longest);
  leaf.majority = sum.majority;
  return leaf;
}

// What Painter would add to both sides of each cut if it opened the leaf.
void SliceRow::CutLeaf(const Leaf& leaf, const Opened& opened, const Befores& befores) {
  const Ps width(int64_t{1} << cut_level_);
  size_t k = CutNumber(leaf.begin) + 1;
  size_t count = 1;  // slices that begin before the cut
  for (Ps at = cuts_begin_ + width * static_cast<int64_t>(k); at < leaf.end; at += width) {
    while (count < opened.count && opened.slices[count].begin < at) ++count;
    const Interval last = opened.slices[count - 1];
    const bool reaches = last.end > at;
    Before before = befores[reaches ? count - 1 : count];
    Majority behind;
    if (reaches) {
      before.busy += at - last.begin;
      before.majority.Add(opened.names[count - 1], Weight(at - last.begin));
      behind.Add(opened.names[count - 1], Weight(last.end - at));
    }
    for (size_t i = count; i < opened.count; ++i) {
      behind.Add(opened.names[i], Weight(opened.slices[i].length()));
    }
    Cut& cut = cuts_[k++];
    cut.before = before.majority;
    cut.behind = behind;
    cut.busy = static_cast<uint64_t>(before.busy.value()) & kMostBusy;
    cut.count = count & 31;
    cut.reaches = reaches ? 1 : 0;
  }
}

void SliceRow::Reach() {
  Ps reached = kBefore;
  for (size_t i = 0; i < count_; ++i) {
    if (i % kGroup == 0) reached_[i >> kShift] = reached;
    reached = std::max(reached, track_.end(event(i)));
  }
}

void SliceRow::AddBranches() {
  if (leaves_.size() > 1) branches_.push_back(BuildAbove<Leaf>(leaves_));
  while (!branches_.empty() && branches_.back().size() > 1)
    branches_.push_back(BuildAbove<Branch>(branches_.back()));
}

template <typename Below>
std::vector<SliceRow::Branch> SliceRow::BuildAbove(std::span<const Below> below) {
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
