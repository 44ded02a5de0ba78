#include "gait/base/pattern.h"

#include <re2/re2.h>

#include <fmt/format.h>

namespace gait {
namespace {

constexpr size_t kMostLetters = 1000;
constexpr int64_t kMostMemory = int64_t{8} << 20;  // of the automaton

// "\1" to "\9": the text that a parenthesis matched.
bool RefersBack(const std::string& escape) {
  return escape.size() > 1 && escape[1] >= '1' && escape[1] <= '9';
}

std::unexpected<Error> Refused(const std::string& expression, const RE2& compiled) {
  const std::string& part = compiled.error_arg();
  const char* const simpler = "Look for a part of the name, or with a simpler expression.";
  switch (compiled.error_code()) {
    case RE2::ErrorBadPerlOp:  // "(?=", "(?!", "(?<="
      return UsageError(fmt::format("'{}' looks around ('{}'), which is not supported.", expression, part),
                        simpler);
    case RE2::ErrorBadEscape:
      if (!RefersBack(part)) break;
      return UsageError(fmt::format("'{}' refers back ('{}'), which is not supported.", expression, part),
                        simpler);
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
