// JsonWriter: JSON piece by piece, with the commas where they belong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gait/base/units.h"

namespace gait::report {

class JsonWriter {
 public:
  JsonWriter& Object() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& Array() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);

  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  JsonWriter& Value(const std::string& text) { return Value(std::string_view(text)); }
  JsonWriter& Value(int64_t value) { return Raw(std::to_string(value)); }
  JsonWriter& Value(uint64_t value) { return Raw(std::to_string(value)); }
  JsonWriter& Value(uint32_t value) { return Raw(std::to_string(value)); }
  JsonWriter& Value(int value) { return Raw(std::to_string(value)); }
  JsonWriter& Value(Ps value) { return Raw(std::to_string(value.value())); }
  JsonWriter& Value(bool value) { return Raw(value ? "true" : "false"); }
  JsonWriter& Value(double value);  // null when it is no number
  JsonWriter& Null() { return Raw("null"); }
  JsonWriter& Raw(std::string_view json);  // a value that is JSON already

  template <typename T>
  JsonWriter& Value(const std::optional<T>& value) {
    return value ? Value(*value) : Null();
  }
  // Writes the text, or null for an empty text.
  JsonWriter& TextOrNull(std::string_view text) { return text.empty() ? Null() : Value(text); }

  template <typename T>
  JsonWriter& Field(std::string_view key, const T& value) {
    Key(key);
    return Value(value);
  }

  std::string Take() && { return std::move(out_); }
  std::string TakeLine() && { return std::move(out_) + "\n"; }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Separate();

  std::string out_;
  bool first_ = true;  // of its list
  bool after_key_ = false;
};

}  // namespace gait::report
