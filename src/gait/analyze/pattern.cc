#include "gait/analyze/pattern.h"

#include <regex.h>

#include <array>

namespace gait::analyze {

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
  const int error = ::regcomp(&compiled->regex, expression.c_str(), REG_EXTENDED | REG_NOSUB);
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
