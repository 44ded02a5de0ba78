// Pattern: a regular expression, in the syntax of RE2, that a person typed. Matches anywhere in a text.
//
// A match is O(length of the text) for every expression: RE2 runs an automaton. Expressions that no automaton
// can match (look-around, back-references), or that need a large one, are a usage error.
#pragma once

#include <memory>
#include <string>

#include "gait/base/result.h"

namespace re2 {
class RE2;
}

namespace gait {

class Pattern {
 public:
  // A usage error for text that is no expression. The empty expression matches everything.
  static Result<Pattern> Compile(const std::string& expression);

  bool Matches(const std::string& text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;  // null: everything matches
};

}  // namespace gait
