#include "gait/analyze/pattern.h"

#include <regex.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

// The bracket class that a letter behind a backslash stands for; `inside` brackets the bare class.
std::string_view ClassOf(char letter, bool inside) {
  switch (letter) {
    case 'd':
      return inside ? "0-9" : "[0-9]";
    case 'w':
      return inside ? "[:alnum:]_" : "[[:alnum:]_]";
    case 's':
      return inside ? "[:space:]" : "[[:space:]]";
    case 'D':
      return inside ? "" : "[^0-9]";
    case 'W':
      return inside ? "" : "[^[:alnum:]_]";
    case 'S':
      return inside ? "" : "[^[:space:]]";
    default:
      return {};
  }
}

// POSIX knows no \d: a digit written so would silently be the letter.
std::string Translated(std::string_view expression) {
  std::string out;
  size_t bracket = std::string::npos;  // where the content of an open bracket begins
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    const bool inside = bracket != std::string::npos;
    if (c == '\\' && i + 1 < expression.size()) {
      const std::string_view known = ClassOf(expression[i + 1], inside);
      if (!known.empty() || !inside) {
        out += known.empty() ? expression.substr(i, 2) : known;
        ++i;
        continue;
      }
    } else if (!inside && c == '[') {
      bracket = i + (expression.substr(i + 1).starts_with('^') ? 2 : 1);
    } else if (inside && c == '[' && i + 1 < expression.size() && expression[i + 1] == ':') {
      const size_t end = expression.find(":]", i + 2);
      if (end != std::string_view::npos) {
        out += expression.substr(i, end + 2 - i);
        i = end + 1;
        continue;
      }
    } else if (inside && c == ']' && i > bracket) {  // as the first one it stands for itself
      bracket = std::string::npos;
    }
    out += c;
  }
  return out;
}

// Compiling writes out counted repetitions, each as often as it may occur: "((a{1,255}){1,255}){1,255}" would
// take all memory. A back-reference makes matching exponential in the length of the text; nothing else does.
constexpr size_t kMostLetters = 1000;
constexpr uint64_t kMostPositions = 10'000;

// How often the counted repetition at `at` ("{2,30}", or "{2,}") repeats at most; 1 for anything else.
uint64_t Repeats(std::string_view expression, size_t at) {
  if (at >= expression.size() || expression[at] != '{') return 1;
  uint64_t most = 1;
  uint64_t number = 0;
  for (size_t i = at + 1; i < expression.size() && expression[i] != '}'; ++i) {
    const char c = expression[i];
    number = c >= '0' && c <= '9'
                 ? std::min<uint64_t>(number * 10 + static_cast<uint64_t>(c - '0'), kMostPositions)
                 : 0;
    most = std::max(most, number);
  }
  return most;
}

// An error for what would take too long or too much.
Result<void> CheckEffort(std::string_view expression) {
  const auto too_much = [](const char* what) {
    return UsageError(fmt::format("the regular expression {}.", what),
                      "Look for a part of the name, or with a simpler expression.");
  };
  if (expression.size() > kMostLetters) return too_much("is too long");
  std::vector<uint64_t> open = {0};  // positions so far: outside, and in each open parenthesis
  uint64_t last = 0;                 // of what a repetition repeats
  size_t bracket = 0;                // where an open bracket's content begins
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    uint64_t atom = 1;
    if (bracket > 0) {
      if (c != ']' || i == bracket) continue;
      bracket = 0;
    } else if (c == '\\' && i + 1 < expression.size()) {
      ++i;
      if (expression[i] >= '1' && expression[i] <= '9')
        return too_much("refers back, which is not supported");
    } else if (c == '[') {
      bracket = i + (expression.substr(i + 1).starts_with('^') ? 2 : 1);
      continue;
    } else if (c == '(') {
      open.push_back(0);
      continue;
    } else if (c == '*' || c == '+' || c == '?') {
      atom = last;
      open.back() -= last;
    } else if (c == ')' && open.size() > 1) {
      atom = open.back() + 1;
      open.pop_back();
    }
    // One repetition may stand behind the other.
    for (size_t next = i + 1; next < expression.size() && expression[next] == '{';) {
      atom = std::min(atom * Repeats(expression, next), kMostPositions + 1);
      next = std::min(expression.find('}', next), expression.size() - 1) + 1;
    }
    last = atom;
    open.back() += atom;
    if (open.back() > kMostPositions) return too_much("repeats too much");
  }
  return {};
}

}  // namespace

struct Pattern::Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (valid) ::regfree(&regex);
  }

  regex_t regex{};
  bool valid = false;
};

Result<Pattern> Pattern::Compile(const std::string& expression) {
  if (expression.empty()) return Pattern(nullptr);
  GAIT_CHECK_OK(CheckEffort(expression));
  auto compiled = std::make_shared<Compiled>();
  const int error = ::regcomp(&compiled->regex, Translated(expression).c_str(), REG_EXTENDED | REG_NOSUB);
  compiled->valid = error == 0;
  if (error != 0) {
    std::array<char, 200> message{};
    ::regerror(error, &compiled->regex, message.data(), message.size());
    return UsageError("'" + expression + "' is no regular expression: " + message.data() + ".",
                      "Put a backslash before characters that are meant as they are: \\( \\[ \\* \\+");
  }
  return Pattern(std::move(compiled));
}

bool Pattern::Matches(const std::string& text) const {
  return compiled_ == nullptr || ::regexec(&compiled_->regex, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace gait::analyze
