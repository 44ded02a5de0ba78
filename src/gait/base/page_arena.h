// PageArena: memory for large columns, all given back together. Fresh pages are zero, so nothing is filled
// twice. Columns lie behind each other and share large pages (huge_pages.h).
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

namespace gait {

class PageArena {
 public:
  PageArena() = default;
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;
  ~PageArena();

  // A column of zero bytes. Thread-safe. Throws std::bad_alloc, as a vector does.
  template <typename T>
    requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
  std::span<T> Zeros(size_t count) {
    static_assert(alignof(T) <= kAlignment);
    return {static_cast<T*>(Take(count, sizeof(T))), count};
  }

 private:
  static constexpr size_t kAlignment = 64;  // two columns never share a line of the cache

  void* Take(size_t count, size_t size);
  void AddChunk(size_t bytes);

  std::mutex mutex_;
  std::vector<std::span<std::byte>> chunks_;
  std::span<std::byte> left_;  // of the last chunk
};

}  // namespace gait
