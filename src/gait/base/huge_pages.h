// Large arrays in large pages: two megabytes cost one page fault instead of 512, and address translation is
// faster. Only a hint: without effect where the system has no such pages.
#pragma once

#include <cstddef>
#include <vector>

namespace gait {

void AdviseHugePages(const void* data, size_t bytes);

// For vectors that are filled at once.
template <typename T>
void ReserveHuge(std::vector<T>& values, size_t count) {
  values.reserve(count);
  AdviseHugePages(values.data(), values.capacity() * sizeof(T));
}

}  // namespace gait
