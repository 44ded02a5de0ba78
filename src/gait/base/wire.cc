#include "gait/base/wire.h"

#include <algorithm>
#include <cstring>

namespace gait {

bool FieldWalker::ReadVarint(uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (next_ == end_) return EndsEarly("ends inside a number");
    const auto byte = static_cast<uint8_t>(*next_++);
    if (shift < 64) value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return Stop("a number is longer than ten bytes");
}

template <typename T>
bool FieldWalker::ReadFixed() {
  T value = 0;
  if (static_cast<size_t>(end_ - next_) < sizeof value) return EndsEarly("ends inside a number");
  std::memcpy(&value, next_, sizeof value);
  next_ += sizeof value;
  value_ = value;
  return true;
}

bool FieldWalker::EndsEarly(std::string_view trouble) {
  ends_early_ = true;
  return Stop(trouble);
}

bool FieldWalker::Stop(std::string_view trouble) {
  trouble_ = trouble;
  stopped_at_ = ends_early_ ? end_ : field_;
  next_ = end_;
  return false;
}

bool FieldWalker::NextAny() {
  if (next_ == end_) {
    return cut_ && trouble_.empty() ? EndsEarly("ends early") : false;
  }
  uint64_t tag = 0;
  field_ = next_;
  if (!ReadVarint(tag)) return false;
  number_ = static_cast<uint32_t>(tag >> 3);
  bytes_ = {};
  value_ = 0;
  is_bytes_ = false;
  if (tag >> 32 != 0) return Stop("an impossible field number");
  if (number_ == 0) {
    if (std::any_of(field_, end_, [](char c) { return c != 0; })) return Stop("an impossible field number");
    // PJRT's collect_data appends one zero byte. More are what was allocated, and never filled.
    if (end_ - field_ > 1) return EndsEarly("ends in zeros");
    next_ = end_;
    return false;
  }
  switch (tag & 7) {
    case 0:
      return ReadVarint(value_);
    case 1:
      return ReadFixed<uint64_t>();
    case 5:
      return ReadFixed<uint32_t>();
    case 2: {
      uint64_t size = 0;
      if (!ReadVarint(size)) return false;
      const auto left = static_cast<uint64_t>(end_ - next_);
      cut_ = size > left;
      is_bytes_ = true;
      bytes_ = {next_, static_cast<size_t>(std::min(size, left))};
      next_ += bytes_.size();
      return true;
    }
    default:
      return Stop("an impossible field type");
  }
}

}  // namespace gait
