#include "gait/read/xplane/arg_templates.h"

#include "gait/base/limits.h"

namespace gait::xplane {
namespace {

uint64_t Hash(std::string_view bytes) {
  uint64_t hash = bytes.size() * 0x9e3779b97f4a7c15;
  const char* at = bytes.data();
  size_t left = bytes.size();
  while (left >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  if (left > 0) {
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    hash = (hash ^ word) * 0x94d049bb133111eb;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

ArgTemplates::ArgTemplates() : slots_(256) {}

size_t ArgTemplates::FindSlot(uint64_t hash, std::string_view bytes) const {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].found.set.valid()) {
    const Slot& slot = slots_[i];
    if (slot.hash == hash && std::string_view(bytes_.data() + slot.begin, slot.size) == bytes) break;
    i = (i + 1) & mask;
  }
  return i;
}

ArgTemplates::Template ArgTemplates::Find(std::string_view bytes) const {
  return slots_[FindSlot(Hash(bytes), bytes)].found;
}

void ArgTemplates::Store(std::string_view bytes, ArgSetId set) {
  if (used_ >= limits::kMaxTemplates) return;
  const uint64_t hash = Hash(bytes);
  Slot& slot = slots_[FindSlot(hash, bytes)];
  if (slot.found.set.valid()) return;
  slot = {hash,
          static_cast<uint32_t>(bytes_.size()),
          static_cast<uint32_t>(bytes.size()),
          {set, static_cast<uint32_t>(used_)}};
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (++used_ * 2 > slots_.size()) Grow();
}

void ArgTemplates::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (!slot.found.set.valid()) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].found.set.valid()) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace gait::xplane
