// SortNearlySorted: sorts what is nearly in order, such as events by their end that are in order of begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace gait {

// Linear where elements are few places off; like any sort where they are not. Not stable: the key should tell
// all elements apart.
template <typename T, typename Key>
void SortNearlySorted(std::vector<T>& values, Key key) {
  constexpr size_t kMovesPerElement = 8;
  size_t moves_left = values.size() * kMovesPerElement;
  for (size_t i = 1; i < values.size(); ++i) {
    if (!(std::invoke(key, values[i]) < std::invoke(key, values[i - 1]))) continue;
    T value = std::move(values[i]);
    size_t at = i;
    do {
      values[at] = std::move(values[at - 1]);
      --at;
    } while (at > 0 && --moves_left > 0 && std::invoke(key, value) < std::invoke(key, values[at - 1]));
    values[at] = std::move(value);
    if (moves_left == 0) {
      std::ranges::sort(values, {}, key);
      return;
    }
  }
}

}  // namespace gait
