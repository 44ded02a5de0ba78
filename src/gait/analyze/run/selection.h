// Selection: the part of a run that a report speaks of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gait/base/result.h"

namespace gait::analyze {

// Empty fields select everything. A device, host or program is given by its printed name, by its number (a
// device's ordinal, a program's id), or by a regular expression.
struct Selection {
  std::optional<int64_t> first_step{};  // step numbers, both included
  std::optional<int64_t> last_step{};
  std::string device{};
  std::string host{};
  std::string program{};
  std::string series{};  // the steps' annotation, where there are several kinds

  bool has_steps() const { return first_step || last_step; }
  bool HasStep(int64_t number) const {
    return (!first_step || number >= *first_step) && (!last_step || number <= *last_step);
  }
};

// "3:8" is steps 3 to 8, both included; "3:" and ":8" are open on one side; "3" is one step; empty is all.
Result<void> ParseSteps(const std::string& text, Selection& selection);

}  // namespace gait::analyze
