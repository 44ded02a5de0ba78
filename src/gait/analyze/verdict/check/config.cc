#include "gait/analyze/verdict/check/config.h"

#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

// Reads the values of one table, character by character.
class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  Result<CheckConfig> Run() {
    CheckConfig config;
    bool table = false;
    bool ours = false;
    bool found = false;
    while (SkipLines()) {
      if (rest_.front() == '[') {
        GAIT_TRY(const std::string head, ReadHead());
        table = true;
        ours = head == "check";
        found = found || ours;
        continue;
      }
      const std::string key = ReadKey();
      if (key.empty() || !Take('=')) return Wrong("no 'key = value'");
      if (!table) return Wrong(fmt::format("'{}' stands outside of [check]", key));
      if (!ours) {
        SkipValue();
        continue;
      }
      GAIT_TRY(const std::vector<std::string> values, ReadValue());
      if (key == "limits") {
        config.limits.insert(config.limits.end(), values.begin(), values.end());
      } else if (key == "baseline" && values.size() == 1) {
        config.baseline = values[0];
      } else if (key == "max_slower" && values.size() == 1) {
        config.max_slower = values[0];
      } else if (values.size() == 1 && values[0].find_first_of("<>=!") == 0) {
        config.limits.push_back(fmt::format("{} {}", key, values[0]));  // step_time = "< 12ms"
      } else {
        return Wrong(fmt::format(
            "[check] has no key '{}' of this kind (limits, baseline, max_slower, step_time = \"< 12ms\")",
            key));
      }
    }
    // A limit that nobody reads would let everything pass.
    if (!found) return Wrong("no table [check]: limits are read from nowhere else");
    return config;
  }

 private:
  std::unexpected<Error> Wrong(const std::string& what) const {
    return UsageError(fmt::format("{}, line {}: {}.", file_, line_, what),
                      "docs/verbs/check.md shows a gait.toml.");
  }

  void Next() {
    if (rest_.front() == '\n') ++line_;
    rest_.remove_prefix(1);
  }
  void SkipSpaces(bool lines) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '#') {
        while (!rest_.empty() && rest_.front() != '\n') Next();
      } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
        Next();
      } else {
        return;
      }
    }
  }
  bool SkipLines() {
    SkipSpaces(true);
    return !rest_.empty();
  }
  bool Take(char wanted) {
    SkipSpaces(false);
    if (rest_.empty() || rest_.front() != wanted) return false;
    Next();
    SkipSpaces(false);
    return true;
  }

  // "[check]", "[[tool.other]]": up to the end of the line.
  Result<std::string> ReadHead() {
    std::string name;
    int open = 0;
    while (!rest_.empty() && rest_.front() != '\n' && rest_.front() != '#') {
      const char c = rest_.front();
      open += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '[' && c != ']') name += c;
      Next();
    }
    if (open != 0) return Wrong(fmt::format("'[{}' has no end", name));
    return name;
  }
  std::string ReadKey() {
    std::string key;
    while (!rest_.empty() && (std::isalnum(static_cast<unsigned char>(rest_.front())) != 0 ||
                              std::string_view("_-.\"'").find(rest_.front()) != std::string_view::npos)) {
      if (rest_.front() != '"' && rest_.front() != '\'') key += rest_.front();
      Next();
    }
    return key;
  }

  // A value of another table: up to the end of the line, and of an array to its end.
  void SkipValue() {
    int depth = 0;
    std::optional<char> quote;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (quote) {
        if (c == *quote || c == '\n') quote.reset();
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (c == ']' || c == '}') {
        --depth;
      } else if (c == '\n' && depth <= 0) {
        return;
      }
      Next();
    }
  }

  Result<std::string> ReadScalar() {
    if (rest_.empty()) return Wrong("a value is missing");
    const char quote = rest_.front();
    std::string value;
    if (quote == '"' || quote == '\'') {
      Next();
      while (!rest_.empty() && rest_.front() != quote && rest_.front() != '\n') {
        if (rest_.front() == '\\' && quote == '"' && rest_.size() > 1) Next();
        value += rest_.front();
        Next();
      }
      if (rest_.empty() || rest_.front() != quote) return Wrong("a string has no end");
      Next();
      return value;
    }
    while (!rest_.empty() && std::string_view(",]#\r\n \t").find(rest_.front()) == std::string_view::npos) {
      value += rest_.front();
      Next();
    }
    if (value.empty()) return Wrong("a value is missing");
    return value;
  }

  Result<std::vector<std::string>> ReadValue() {
    std::vector<std::string> values;
    if (!Take('[')) {
      GAIT_TRY(std::string value, ReadScalar());
      values.push_back(std::move(value));
      return values;
    }
    while (true) {
      SkipSpaces(true);
      if (rest_.empty()) return Wrong("an array has no end");
      if (rest_.front() == ']') {
        Next();
        return values;
      }
      GAIT_TRY(std::string value, ReadScalar());
      values.push_back(std::move(value));
      SkipSpaces(true);
      if (!rest_.empty() && rest_.front() == ',') Next();
    }
  }

  std::string_view rest_;
  std::string_view file_;
  int line_ = 1;
};

}  // namespace

Result<CheckConfig> ParseConfig(std::string_view text, std::string_view file) {
  return Parser(text, file).Run();
}

}  // namespace gait::analyze
