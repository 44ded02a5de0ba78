#include "gait/base/pattern.h"

#include <re2/re2.h>

#include <string_view>

#include <fmt/format.h>

namespace gait {
namespace {

constexpr size_t kMostLetters = 1000;
constexpr int64_t kMostMemory = int64_t{8} << 20;  // of the automaton

// What the expression does where RE2 stopped. RE2 says of that what it has read, not always the whole.
std::string_view WhatIsUnknown(std::string_view expression, std::string_view part) {
  const auto is = [&](std::string_view read, std::string_view whole) {
    return part.starts_with(read) && expression.contains(whole);
  };
  if (is("(?=", "(?=") || is("(?!", "(?!") || is("(?<", "(?<=") || is("(?<", "(?<!")) return "looks around";
  const bool is_number = part.size() > 1 && part[0] == '\\' && part[1] >= '1' && part[1] <= '9';
  if (is_number || part == "\\k" || part == "\\g" || is("(?P", "(?P=")) return "refers back";
  return part.starts_with("(?") ? "has a group of another kind" : "";
}

std::unexpected<Error> Refused(const std::string& expression, const RE2& compiled) {
  const std::string& part = compiled.error_arg();
  const char* const simpler = "Look for a part of the name, or with a simpler expression.";
  switch (compiled.error_code()) {
    case RE2::ErrorBadPerlOp:
    case RE2::ErrorBadNamedCapture:
    case RE2::ErrorBadEscape: {
      const std::string_view what = WhatIsUnknown(expression, part);
      if (what.empty()) break;
      return UsageError(fmt::format("'{}' {} ('{}'), which is not supported.", expression, what, part),
                        simpler);
    }
    case RE2::ErrorPatternTooLarge:
    case RE2::ErrorRepeatSize:
      return UsageError(fmt::format("the regular expression '{}' repeats too much.", expression), simpler);
    default:
      break;
  }
  return UsageError(fmt::format("'{}' is no regular expression: {}.", expression, compiled.error()),
                    "Put a backslash before characters that are meant as they are: \\( \\[ \\* \\+");
}

}  // namespace

Result<Pattern> Pattern::Compile(const std::string& expression) {
  if (expression.empty()) return Pattern(nullptr);
  if (expression.size() > kMostLetters) {
    return UsageError("the regular expression is too long.", "Look for a part of the name.");
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);  // names need not be text
  options.set_max_mem(kMostMemory);
  options.set_never_capture(true);
  auto compiled = std::make_shared<const RE2>(expression, options);
  if (!compiled->ok()) return Refused(expression, *compiled);
  return Pattern(std::move(compiled));
}

bool Pattern::Matches(const std::string& text) const {
  return compiled_ == nullptr || RE2::PartialMatch(text, *compiled_);
}

}  // namespace gait
