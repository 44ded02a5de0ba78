#include "gait/analyze/pattern.h"

#include <regex.h>

#include <array>
#include <string_view>

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
