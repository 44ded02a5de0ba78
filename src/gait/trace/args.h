// Arguments of events: name and typed value, in the order of the file; one name may occur twice.
//
// An event refers to an interned *argument set*. XLA repeats the same few sets for every execution of an
// operation, so a set is stored once. An argument whose value varies from event to event (correlation id, run
// id, addresses) is marked `varying` in the set, and its values are in the track's value column.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gait/base/ids.h"
#include "gait/trace/string_pool.h"

namespace gait {

using ArgSetId = Id<struct ArgSetTag>;
inline constexpr ArgSetId kNoArgs{0};

enum class ArgType : uint8_t { kInt, kUint, kDouble, kString, kBytes };

struct ArgValue {
  ArgType type = ArgType::kInt;
  uint64_t bits = 0;  // the integer, the double's bits, or a StringId

  static ArgValue Int(int64_t v) { return {ArgType::kInt, static_cast<uint64_t>(v)}; }
  static ArgValue Uint(uint64_t v) { return {ArgType::kUint, v}; }
  static ArgValue Double(double v) { return {ArgType::kDouble, std::bit_cast<uint64_t>(v)}; }
  static ArgValue String(StringId v) { return {ArgType::kString, v.value}; }
  static ArgValue RawBytes(StringId v) { return {ArgType::kBytes, v.value}; }

  bool is_string() const { return type == ArgType::kString || type == ArgType::kBytes; }
  StringId string() const { return StringId(static_cast<size_t>(bits)); }

  // The value as a number, for every integer or floating type: the type of one argument changes between
  // events of one file. Trace::Number parses text, since it has the strings.
  std::optional<int64_t> integer() const {
    if (type == ArgType::kInt || type == ArgType::kUint) return static_cast<int64_t>(bits);
    return WholeDouble();
  }
  std::optional<double> number() const;

  friend bool operator==(ArgValue, ArgValue) = default;

 private:
  std::optional<int64_t> WholeDouble() const;
};

struct Arg {
  StringId key;
  ArgValue value;
  friend bool operator==(const Arg&, const Arg&) = default;
};

// One entry of an interned set: 16 bytes.
struct ArgEntry {
  StringId key;
  ArgType type = ArgType::kInt;
  bool varying = false;  // the value is the next one of the event's varying values
  uint64_t bits = 0;     // where varying: what to add to the integer in the column, to keep that small

  friend bool operator==(const ArgEntry&, const ArgEntry&) = default;
};
static_assert(sizeof(ArgEntry) == 16);

// ArgPool: every distinct argument set once. Id 0 is the empty set. Same thread rule as StringPool.
class ArgPool {
 public:
  ArgPool();

  ArgSetId Intern(std::span<const ArgEntry> entries);

  std::span<const ArgEntry> operator[](ArgSetId id) const {
    return std::span(entries_).subspan(offsets_[id.value], offsets_[id.value + 1] - offsets_[id.value]);
  }
  size_t size() const { return offsets_.size() - 1; }
  size_t memory() const;

 private:
  void Rehash();

  std::vector<ArgEntry> entries_;
  std::vector<uint32_t> offsets_;  // offsets_[i] to offsets_[i + 1]: set i
  struct Slot {
    uint32_t hash;
    uint32_t id;
  };
  std::vector<Slot> slots_;
};

// The value column of a track: a byte stream of varints (integers less their base, string ids) and raw
// doubles.
void AppendValue(std::vector<uint8_t>& out, ArgValue value, uint64_t base);
// The value of an entry. For a varying entry, reads the next value of the column.
inline ArgValue ReadValue(const uint8_t*& column, const ArgEntry& entry) {
  if (!entry.varying) return {entry.type, entry.bits};
  ArgValue value{entry.type, 0};
  if (entry.type == ArgType::kDouble) {
    std::memcpy(&value.bits, column, sizeof value.bits);
    column += sizeof value.bits;
    return value;
  }
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *column++;
    value.bits |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) break;
  }
  if (entry.type == ArgType::kInt) value.bits = (value.bits >> 1) ^ (0 - (value.bits & 1));
  value.bits += entry.bits;
  return value;
}

}  // namespace gait
