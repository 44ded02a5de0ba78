// Finds the device memory profiles (*.prof) that a person means.
#pragma once

#include <string>
#include <vector>

#include "gait/base/result.h"

namespace gait::runs {

// The files in the order of time. Without `more`, `spec` is a *.prof file, or a directory with such files and
// no run: the files are then in order of name, numbers in names by value. With `more`, all arguments are
// files, in the given order. Empty: `spec` is something else. An error when `more` names a file that is no
// profile.
Result<std::vector<std::string>> FindMemoryProfiles(const std::string& spec,
                                                    const std::vector<std::string>& more);

}  // namespace gait::runs
