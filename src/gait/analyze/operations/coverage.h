// Coverage: the times at which the operations of a device ran, kept so that the time of any group of
// operations is cheap.
//
//   time of a group = length of the union of its operations' pieces
//
// Nearly all pieces begin while at most one other piece runs. Their time alone is added up by operation, and
// their shared time by pair of operations: runs of a program repeat the same pairs. Only the other pieces,
// the crowded ones, are kept one by one.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gait/base/intervals.h"

namespace gait::analyze {

// Groups of operations. An operation may be in several groups: a scope and the scopes around it.
struct Membership {
  size_t groups = 0;
  std::vector<std::vector<uint32_t>> of;  // by operation, each group once
};

class Coverage {
 public:
  struct OfOperation {
    Interval first;       // piece
    uint64_t pieces = 0;  // 0: it has none
    Ps durations;         // the sum of all pieces
    Ps alone;             // of them, without what they share with one that had begun before
  };
  // An operation and another one, which still ran when the operation began, or had begun just before.
  struct Pair {
    uint32_t operation, other;
    Ps shared;             // counts for a group that the other is not in
    uint64_t follows = 0;  // how often a piece of the operation is the next after one of the other
  };

  explicit Coverage(size_t operations) : operations_(operations), last_pair_(operations, kNoPair) {}

  // To be called in order of begin. O(1).
  void Add(uint32_t operation, Interval piece);

  const std::vector<OfOperation>& operations() const { return operations_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  // Adds the time of each group. Linear in operations, pairs and crowded pieces times groups of an operation.
  void AddTimes(const Membership& membership, std::vector<Ps>& times) const;

 private:
  static constexpr uint32_t kNoPair = 0xffffffff;
  static constexpr uint32_t kNoOperation = 0xffffffff;
  struct Piece {
    Interval time;
    uint32_t operation = kNoOperation;
    bool counted = true;  // in `alone` and `shared`; it is kept for those that begin while it runs
  };

  Pair& PairOf(uint32_t operation, uint32_t other) {
    const uint32_t last = last_pair_[operation];
    return last != kNoPair && pairs_[last].other == other ? pairs_[last] : FindPair(operation, other);
  }
  Pair& FindPair(uint32_t operation, uint32_t other);
  void AddCrowded(const Piece& piece);

  std::vector<OfOperation> operations_;
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> by_operations_;  // pairs
  std::vector<uint32_t> last_pair_;                       // by operation
  uint32_t last_ = kNoOperation;                          // that a piece was added of
  std::array<Piece, 2> running_;                          // when it began, not crowded
  size_t count_ = 0;                                      // of them
  std::vector<Piece> crowded_;
  Ps crowded_until_ = -kMaxTime;
};

}  // namespace gait::analyze
