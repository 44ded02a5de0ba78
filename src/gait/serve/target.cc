#include "gait/serve/target.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace gait::serve {
namespace {

enum class Plus : uint8_t { kPlus, kSpace };

std::string Decoded(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      unsigned char value = 0;
      const char* const digits = text.data() + i + 1;
      if (std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
        decoded += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    decoded += text[i] == '+' && plus == Plus::kSpace ? ' ' : text[i];
  }
  return decoded;
}

// What stands before the sign, and what after it: nothing where there is none.
std::pair<std::string_view, std::string_view> CutAt(std::string_view text, char sign) {
  const size_t at = std::min(text.find(sign), text.size());
  return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

}  // namespace

Target ParseTarget(std::string_view target) {
  auto [path, rest] = CutAt(target, '?');
  Target parsed{Decoded(path, Plus::kPlus), {}};
  while (!rest.empty()) {
    const auto [parameter, further] = CutAt(rest, '&');
    const auto [name, value] = CutAt(parameter, '=');
    if (!parameter.empty())
      parsed.parameters.emplace(Decoded(name, Plus::kSpace), Decoded(value, Plus::kSpace));
    rest = further;
  }
  return parsed;
}

std::string EncodePath(std::string_view path) {
  constexpr std::string_view kAsItIs =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=:@";
  std::string encoded;
  for (const char sign : path) {
    if (kAsItIs.contains(sign)) {
      encoded += sign;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(sign));
    }
  }
  return encoded;
}

}  // namespace gait::serve
