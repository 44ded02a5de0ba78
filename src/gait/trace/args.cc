#include "gait/trace/args.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gait {
namespace {

constexpr uint32_t kFreeSlot = 0xffffffff;

uint32_t Hash(std::span<const ArgEntry> entries) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (const ArgEntry& entry : entries) {
    const uint64_t key =
        entry.key.value | uint64_t{static_cast<uint8_t>(entry.type)} << 32 | uint64_t{entry.varying} << 40;
    hash = (hash ^ key) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 29) ^ entry.bits) * 0x94d049bb133111eb;
  }
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

uint64_t ZigZag(int64_t v) { return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63); }

}  // namespace

std::optional<int64_t> ArgValue::WholeDouble() const {
  if (type != ArgType::kDouble) return std::nullopt;
  const double v = std::bit_cast<double>(bits);
  if (v >= -0x1p63 && v < 0x1p63 && v == std::floor(v)) return static_cast<int64_t>(v);
  return std::nullopt;
}

std::optional<double> ArgValue::number() const {
  switch (type) {
    case ArgType::kInt:
      return static_cast<double>(static_cast<int64_t>(bits));
    case ArgType::kUint:
      return static_cast<double>(bits);
    case ArgType::kDouble:
      return std::bit_cast<double>(bits);
    default:
      return std::nullopt;
  }
}

ArgPool::ArgPool() : offsets_{0}, slots_(64, Slot{0, kFreeSlot}) { Intern({}); }

ArgSetId ArgPool::Intern(std::span<const ArgEntry> entries) {
  const uint32_t hash = Hash(entries);
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].id != kFreeSlot) {
    if (slots_[i].hash == hash && std::ranges::equal((*this)[ArgSetId(slots_[i].id)], entries)) {
      return ArgSetId(slots_[i].id);
    }
    i = (i + 1) & mask;
  }
  const ArgSetId id(size());
  slots_[i] = {hash, id.value};
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  offsets_.push_back(static_cast<uint32_t>(entries_.size()));
  if (size() * 4 > slots_.size() * 3) Rehash();
  return id;
}

void ArgPool::Rehash() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, kFreeSlot});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kFreeSlot) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kFreeSlot) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

size_t ArgPool::memory() const {
  return entries_.capacity() * sizeof(ArgEntry) + offsets_.capacity() * sizeof(uint32_t) +
         slots_.capacity() * sizeof(Slot);
}

void AppendValue(std::vector<uint8_t>& out, ArgValue value, uint64_t base) {
  if (value.type == ArgType::kDouble) {
    uint8_t raw[8];
    std::memcpy(raw, &value.bits, sizeof raw);
    out.insert(out.end(), raw, raw + sizeof raw);
    return;
  }
  uint64_t v = value.bits - base;  // modulo 2^64, as is the sum that gives it back
  if (value.type == ArgType::kInt) v = ZigZag(static_cast<int64_t>(v));
  while (v >= 0x80) {
    out.push_back(static_cast<uint8_t>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<uint8_t>(v));
}

}  // namespace gait
