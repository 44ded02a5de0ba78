#include "gait/analyze/ops/coverage.h"

#include <algorithm>

namespace gait::analyze {

Coverage::Pair& Coverage::FindPair(uint32_t operation, uint32_t other) {
  const auto [found, is_new] =
      by_operations_.try_emplace(uint64_t{operation} << 32 | other, static_cast<uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({operation, other, Ps()});
  return pairs_[last_pair_[operation] = found->second];
}

void Coverage::AddCrowded(const Piece& piece) {
  running_.push_back(piece);
  for (const Piece& of : running_) {
    crowded_.push_back(of);
    crowded_until_ = std::max(crowded_until_, of.time.end);
  }
  running_.clear();
}

void Coverage::Add(uint32_t operation, Interval piece) {
  OfOperation& own = operations_[operation];
  if (own.pieces++ == 0) own.first = piece;
  if (last_ != kNoOperation) ++PairOf(operation, last_).follows;
  last_ = operation;
  if (piece.empty()) return;
  own.durations += piece.length();
  size_t still = 0;
  for (const Piece& other : running_) {
    if (other.time.end > piece.begin) running_[still++] = other;
  }
  running_.resize(still);
  if (still > 1 || crowded_until_ > piece.begin) return AddCrowded({piece, operation, false});
  own.alone += piece.length();
  if (still == 1) {
    const Ps shared = std::min(running_[0].time.end, piece.end) - piece.begin;
    PairOf(operation, running_[0].operation).shared += shared;
    own.alone -= shared;
  }
  running_.push_back({piece, operation});
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
