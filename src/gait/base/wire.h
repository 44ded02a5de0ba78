// FieldWalker: the fields of a protobuf message that may be cut or damaged, and whose readable beginning is
// worth keeping. (Small messages, of which a part is worthless, go through protozero::pbf_reader.)
//
//   FieldWalker fields(bytes);
//   while (fields.Next()) switch (fields.number()) ...
//   if (!fields.trouble().empty()) ...   // why it stopped before the end
//
// A length-delimited field that reaches beyond the end is returned clipped, with cut() true. Never throws,
// never reads outside the message, allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gait {

class FieldWalker {
 public:
  explicit FieldWalker(std::string_view message)
      : begin_(message.data()), next_(begin_), end_(begin_ + message.size()) {}

  bool Next() { return NextShort() || NextAny(); }

  uint32_t number() const { return number_; }
  bool is_bytes() const { return is_bytes_; }
  std::string_view bytes() const { return bytes_; }  // of a length-delimited field
  int64_t integer() const {
    return static_cast<int64_t>(value_);
  }  // of any other field; fixed ones as their bits
  bool cut() const { return cut_; }                      // this field ends beyond the message
  std::string_view trouble() const { return trouble_; }  // why Next gave up; empty at a clean end
  bool ends_early() const { return ends_early_; }        // the trouble is that bytes are missing
  // The bytes walked so far. In trouble: the begin of the field that could not be read, or the end if bytes
  // are missing.
  size_t position() const { return static_cast<size_t>((trouble_.empty() ? next_ : stopped_at_) - begin_); }

 private:
  // The fast way for nearly all fields: fields of bytes with a number of one byte and a length of at most
  // two.
  bool NextShort() {
    constexpr ptrdiff_t kHeader = 3;
    const ptrdiff_t left = end_ - next_;
    if (left < kHeader) return false;
    const auto tag = static_cast<uint8_t>(next_[0]);
    if (tag >= 0x80 || tag < 8 || (tag & 7) != 2) return false;
    auto size = static_cast<ptrdiff_t>(static_cast<uint8_t>(next_[1]));
    ptrdiff_t header = kHeader - 1;
    if (size >= 0x80) {
      const auto high = static_cast<uint8_t>(next_[2]);
      if (high >= 0x80) return false;
      size = (size & 0x7f) | ptrdiff_t{high} << 7;
      header = kHeader;
    }
    if (size > left - header) return false;
    number_ = tag >> 3;
    is_bytes_ = true;
    value_ = 0;
    bytes_ = {next_ + header, static_cast<size_t>(size)};
    next_ += header + size;
    return true;
  }
  bool NextAny();
  bool ReadVarint(uint64_t& value);
  template <typename T>
  bool ReadFixed();
  bool EndsEarly(std::string_view trouble);
  bool Stop(std::string_view trouble);

  const char* begin_;
  const char* next_;
  const char* end_;
  const char* field_ = begin_;  // where the current field begins
  const char* stopped_at_ = begin_;
  uint32_t number_ = 0;
  bool is_bytes_ = false;
  bool cut_ = false;
  bool ends_early_ = false;
  uint64_t value_ = 0;
  std::string_view bytes_;
  std::string_view trouble_;
};

}  // namespace gait
