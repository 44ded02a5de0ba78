// The name with the most time, in few bytes for any number of names.
//
// Majority has one counter (Boyer and Moore): the weight of another name is subtracted from it. Heaviest has
// three counters (Misra and Gries): where no counter is free, a new name subtracts the least weight from all.
// Both merge, and a Majority may be merged into a Heaviest. A name with more than half of the time is always
// the answer: in every part it keeps at least its lead over all other names together.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gait::timeline {

inline constexpr uint32_t kNoName = 0xffffffff;

struct Majority {
  uint32_t name = kNoName;
  float weight = 0;

  // Without branches: no processor can predict the order of the names.
  void Add(uint32_t other, float added) {
    const float both = weight + added;
    const float lead = std::abs(added - weight);
    const bool same = other == name;
    name = added > weight || name == kNoName ? other : name;
    weight = same ? both : lead;
  }
};

class Heaviest {
 public:
  void Add(uint32_t name, float weight) {
    size_t least = 0;
    for (size_t i = 0; i < kCounters; ++i) {
      if (names_[i] == name) {
        weights_[i] += weight;
        return;
      }
      if (Less(i, least)) least = i;
    }
    if (names_[least] == kNoName || weights_[least] <= 0) {
      if (names_[least] != kNoName && weight <= 0) return;
      names_[least] = name;
      weights_[least] = weight;
      return;
    }
    const float taken = std::min(weight, weights_[least]);
    for (float& w : weights_) w -= taken;
    if (weight > taken) {
      names_[least] = name;
      weights_[least] = weight - taken;
    }
  }

  void Merge(const Heaviest& other) {
    for (size_t i = 0; i < kCounters; ++i) {
      if (other.names_[i] != kNoName) Add(other.names_[i], other.weights_[i]);
    }
  }

  void Merge(const Majority& other) {
    if (other.name != kNoName) Add(other.name, other.weight);
  }

  // The heaviest name; kNoName when nothing was added. Where no name has any time, one of the names.
  uint32_t name() const {
    size_t best = 0;
    for (size_t i = 1; i < kCounters; ++i) {
      if (names_[i] != kNoName && (names_[best] == kNoName || weights_[i] > weights_[best])) best = i;
    }
    return names_[best];
  }

 private:
  static constexpr size_t kCounters = 3;

  // Free counters come before those in use.
  bool Less(size_t a, size_t b) const {
    if (names_[b] == kNoName) return false;
    return names_[a] == kNoName || weights_[a] < weights_[b];
  }

  std::array<uint32_t, kCounters> names_ = {kNoName, kNoName, kNoName};
  std::array<float, kCounters> weights_ = {};
};

}  // namespace gait::timeline
