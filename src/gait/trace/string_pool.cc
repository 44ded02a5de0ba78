#include "gait/trace/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace gait {
namespace {

constexpr uint32_t kFree = 0xffffffff;
constexpr size_t kChunkBytes = 64 << 10;

uint32_t Hash(std::string_view text) {
  const size_t hash = std::hash<std::string_view>()(text);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

StringPool::StringPool() : slots_(64, Slot{0, kFree}) { Intern({}); }

size_t StringPool::FindSlot(std::string_view text, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].id != kFree && (slots_[i].hash != hash || strings_[slots_[i].id] != text))
    i = (i + 1) & mask;
  return i;
}

StringId StringPool::Intern(std::string_view text) {
  const uint32_t hash = Hash(text);
  Slot& slot = slots_[FindSlot(text, hash)];
  if (slot.id != kFree) return StringId(slot.id);
  const StringId id(strings_.size());
  slot = {hash, id.value};
  strings_.push_back(Store(text));
  if (strings_.size() * 4 > slots_.size() * 3) Rehash();
  return id;
}

std::optional<StringId> StringPool::Find(std::string_view text) const {
  const Slot& slot = slots_[FindSlot(text, Hash(text))];
  return slot.id == kFree ? std::nullopt : std::optional(StringId(slot.id));
}

std::string_view StringPool::Store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > chunk_left_) {
    const size_t size = std::max(text.size(), kChunkBytes);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    chunk_bytes_ += size;
    // A string larger than a chunk gets its own; the half-filled one stays in use.
    if (text.size() > kChunkBytes) {
      std::memcpy(chunks_.back().get(), text.data(), text.size());
      return {chunks_.back().get(), text.size()};
    }
    chunk_next_ = chunks_.back().get();
    chunk_left_ = size;
  }
  char* stored = chunk_next_;
  std::memcpy(stored, text.data(), text.size());
  chunk_next_ += text.size();
  chunk_left_ -= text.size();
  return {stored, text.size()};
}

void StringPool::Rehash() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, kFree});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kFree) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kFree) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

size_t StringPool::memory() const {
  return chunk_bytes_ + strings_.capacity() * sizeof(std::string_view) + slots_.capacity() * sizeof(Slot);
}

}  // namespace gait
