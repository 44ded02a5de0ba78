// Pattern: a regular expression (POSIX extended, and \d \w \s as elsewhere) that a person typed. Matches
// anywhere in a text.
//
// POSIX rather than std::regex: names in a capture may be of any length, and std::regex recurses per
// character. What would take exponential time or memory is refused, so a match is O(length of the text).
#pragma once

#include <memory>
#include <string>

#include "gait/base/result.h"

namespace gait::analyze {

class Pattern {
 public:
  // A usage error for an expression that is none. The empty expression matches everything.
  static Result<Pattern> Compile(const std::string& expression);

  bool Matches(const std::string& text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;  // null: everything matches
};

}  // namespace gait::analyze
