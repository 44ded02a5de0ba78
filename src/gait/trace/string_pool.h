// StringPool: every distinct string once. Id 0 is the empty string.
//
// Cost: the characters, 16 bytes per string and 8 per hash slot. One thread may intern while nobody reads;
// any number of threads may read a pool that no longer changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/base/ids.h"

namespace gait {

using StringId = Id<struct StringTag>;

class StringPool {
 public:
  StringPool();

  StringId Intern(std::string_view text);
  std::optional<StringId> Find(std::string_view text) const;

  std::string_view operator[](StringId id) const {
    return id.value < strings_.size() ? strings_[id.value] : std::string_view();
  }
  size_t size() const { return strings_.size(); }

  // Bytes on the heap.
  size_t memory() const;

 private:
  struct Slot {
    uint32_t hash;
    uint32_t id;  // kFree: empty
  };

  size_t FindSlot(std::string_view text, uint32_t hash) const;
  std::string_view Store(std::string_view text);
  void Rehash();

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* chunk_next_ = nullptr;
  size_t chunk_left_ = 0;
  size_t chunk_bytes_ = 0;
  std::vector<std::string_view> strings_;
  std::vector<Slot> slots_;
};

}  // namespace gait
