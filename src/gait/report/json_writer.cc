#include "gait/report/json_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "gait/report/json.h"

namespace gait::report {

void JsonWriter::Separate() {
  if (!first_ && !after_key_) out_ += ',';
  first_ = false;
  after_key_ = false;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  out_ += JsonString(key);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view text) { return Raw(JsonString(text)); }

JsonWriter& JsonWriter::Value(double value) {
  return std::isfinite(value) ? Raw(fmt::format("{}", value)) : Null();
}

}  // namespace gait::report
