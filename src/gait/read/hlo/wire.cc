#include "gait/read/hlo/wire.h"

#include <cstring>
#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

namespace gait::hlo {
namespace {

template <typename T>
bool ReadFixed(const char*& next, const char* end, uint64_t& value) {
  if (static_cast<size_t>(end - next) < sizeof(T)) return false;
  T fixed = 0;
  std::memcpy(&fixed, next, sizeof(T));
  next += sizeof(T);
  value = fixed;
  return true;
}

}  // namespace

bool Fields::Next() {
  if (next_ == end_) return false;
  try {
    const uint64_t key = protozero::decode_varint(&next_, end_);
    number_ = static_cast<uint32_t>(key >> 3);
    is_bytes_ = false;
    bool whole = number_ != 0;
    switch (static_cast<protozero::pbf_wire_type>(key & 7)) {
      case protozero::pbf_wire_type::varint:
        value_ = protozero::decode_varint(&next_, end_);
        break;
      case protozero::pbf_wire_type::fixed64:
        whole &= ReadFixed<uint64_t>(next_, end_, value_);
        break;
      case protozero::pbf_wire_type::fixed32:
        whole &= ReadFixed<uint32_t>(next_, end_, value_);
        break;
      case protozero::pbf_wire_type::length_delimited: {
        const uint64_t length = protozero::decode_varint(&next_, end_);
        const auto left = static_cast<uint64_t>(end_ - next_);
        if (length > left) losses_.Truncated();
        bytes_ = {next_, static_cast<size_t>(length < left ? length : left)};
        next_ += bytes_.size();
        is_bytes_ = true;
        break;
      }
      default:
        whole = false;
    }
    if (whole) return true;
    losses_.Mangled();
  } catch (const protozero::end_of_buffer_exception&) {
    losses_.Truncated();
  } catch (const protozero::exception&) {
    losses_.Mangled();
  }
  next_ = end_;
  return false;
}

int64_t Fields::Int() const {
  if (!is_bytes_) return static_cast<int64_t>(value_);
  losses_.Mangled();
  return 0;
}

std::string_view Fields::Bytes() const {
  if (is_bytes_) return bytes_;
  losses_.Mangled();
  return {};
}

void Fields::AppendInts(std::vector<int64_t>& out) const {
  if (!is_bytes_) {
    out.push_back(static_cast<int64_t>(value_));
    return;
  }
  const char* next = bytes_.data();
  const char* const end = next + bytes_.size();
  try {
    while (next != end) out.push_back(static_cast<int64_t>(protozero::decode_varint(&next, end)));
  } catch (const protozero::exception&) {
    losses_.Truncated();
  }
}

}  // namespace gait::hlo
