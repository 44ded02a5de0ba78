// JsonObject: an object of JSON, key by key; unknown values are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "gait/report/json.h"

namespace gait::report {

class JsonObject {
 public:
  void Add(std::string_view key, const std::string& raw) {
    text_ += fmt::format("{}{}:{}", text_.empty() ? "" : ",", JsonString(key), raw);
  }
  void Text(std::string_view key, std::string_view value) {
    if (!value.empty()) Add(key, JsonString(value));
  }
  void Number(std::string_view key, std::optional<double> value) {
    if (value) Add(key, fmt::format("{}", *value));
  }
  void Count(std::string_view key, uint64_t value) { Add(key, fmt::format("{}", value)); }
  std::string Done() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace gait::report
