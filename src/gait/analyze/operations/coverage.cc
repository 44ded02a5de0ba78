#include "gait/analyze/operations/coverage.h"

#include <algorithm>

#include "gait/analyze/time/durations.h"

namespace gait::analyze {

Coverage::Pair& Coverage::FindPair(uint32_t operation, uint32_t other) {
  const auto [found, is_new] =
      by_operations_.try_emplace(uint64_t{operation} << 32 | other, static_cast<uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({operation, other, Ps()});
  return pairs_[last_pair_[operation] = found->second];
}

void Coverage::AddCrowded(const Piece& piece) {
  const auto add = [&](const Piece& one) {
    crowded_.push_back(one);
    crowded_until_ = std::max(crowded_until_, one.time.end);
  };
  for (size_t i = 0; i < count_; ++i) add(running_[i]);
  add(piece);
  count_ = 0;
}

void Coverage::Add(uint32_t operation, Interval piece) {
  OfOperation& own = operations_[operation];
  if (own.pieces++ == 0) own.first = piece;
  if (last_ != kNoOperation) ++PairOf(operation, last_).follows;
  last_ = operation;
  if (piece.empty()) return;
  own.durations = SaturatedSum(own.durations, piece.length());
  // What still runs comes first.
  if (count_ == 2 && running_[1].time.end <= piece.begin) --count_;
  if (count_ > 0 && running_[0].time.end <= piece.begin && --count_ == 1) running_[0] = running_[1];
  if (count_ == 2 || crowded_until_ > piece.begin) return AddCrowded({piece, operation, false});
  Ps alone = piece.length();
  if (count_ == 1) {
    const Ps shared = std::min(running_[0].time.end, piece.end) - piece.begin;
    PairOf(operation, running_[0].operation).shared += shared;
    alone -= shared;
  }
  own.alone += alone;
  Piece& last = running_[count_++];
  last.time = piece;
  last.operation = operation;
}

void Coverage::AddTimes(const Membership& membership, std::vector<Ps>& times) const {
  for (size_t i = 0; i < operations_.size(); ++i) {
    for (const uint32_t group : membership.of[i]) times[group] += operations_[i].alone;
  }
  constexpr size_t kNone = ~size_t{0};
  std::vector<size_t> marked(membership.groups, kNone);  // by group: the last pair whose other is in it
  for (size_t i = 0; i < pairs_.size(); ++i) {
    for (const uint32_t group : membership.of[pairs_[i].other]) marked[group] = i;
    for (const uint32_t group : membership.of[pairs_[i].operation]) {
      if (marked[group] != i) times[group] += pairs_[i].shared;
    }
  }
  if (crowded_.empty()) return;
  std::vector<Ps> covered(membership.groups, -kMaxTime);
  for (const Piece& piece : crowded_) {
    for (const uint32_t group : membership.of[piece.operation]) {
      const Ps from = std::max(piece.time.begin, covered[group]);
      if (from >= piece.time.end) continue;
      if (!piece.counted) times[group] += piece.time.end - from;
      covered[group] = piece.time.end;
    }
  }
}

}  // namespace gait::analyze
