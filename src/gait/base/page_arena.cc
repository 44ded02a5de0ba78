#include "gait/base/page_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <new>

#include "gait/base/huge_pages.h"

namespace gait {
namespace {

constexpr size_t kFirstChunk = size_t{1} << 16;
constexpr size_t kLargestChunk = size_t{1} << 25;  // but for a column that is larger

constexpr size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

PageArena::~PageArena() {
  for (const std::span<std::byte> chunk : chunks_) ::munmap(chunk.data(), chunk.size());
}

void* PageArena::Take(size_t count, size_t size) {
  if (count > (std::numeric_limits<size_t>::max() / 2) / size) throw std::bad_alloc();
  const size_t bytes = RoundUp(count * size, kAlignment);
  const std::lock_guard lock(mutex_);
  if (bytes > left_.size()) AddChunk(bytes);
  void* const column = left_.data();
  left_ = left_.subspan(bytes);
  return column;
}

void PageArena::AddChunk(size_t bytes) {
  const size_t wanted = chunks_.empty() ? kFirstChunk : std::min(chunks_.back().size() * 2, kLargestChunk);
  const size_t size = RoundUp(std::max(bytes, wanted), kFirstChunk);
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  AdviseHugePages(memory, size);
  left_ = {static_cast<std::byte*>(memory), size};
  chunks_.push_back(left_);
}

}  // namespace gait
