// SortNearlySorted: sorts elements that are nearly in order, such as events in order of begin by their end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace gait {

// Linear where elements are a few places off, else O(n log n). Not stable: the key should tell all elements
// apart.
template <typename T, typename Key>
void SortNearlySorted(std::vector<T>& values, Key key) {
  constexpr size_t kMovesPerElement = 8;
  size_t moves_left = values.size() * kMovesPerElement;
  if (values.empty()) return;
  auto last = std::invoke(key, values[0]);
  for (size_t i = 1, size = values.size(); i < size; ++i) {
    const auto next = std::invoke(key, values[i]);
    if (!(next < last)) {
      last = next;
      continue;
    }
    T value = std::move(values[i]);
    size_t at = i;
    do {
      values[at] = std::move(values[at - 1]);
      --at;
    } while (at > 0 && --moves_left > 0 && next < std::invoke(key, values[at - 1]));
    values[at] = std::move(value);
    if (moves_left == 0) {
      std::ranges::sort(values,
                        [&](const T& a, const T& b) { return std::invoke(key, a) < std::invoke(key, b); });
      return;
    }
  }
}

}  // namespace gait
