// Device memory profiles (*.prof) that a person means.
#pragma once

#include <string>
#include <vector>

#include "gait/base/result.h"

namespace gait::runs {

// The files in the order of time. `spec` alone is a *.prof file, or a directory with such files and no run:
// then they come by name, numbers in names by value. With `more` all are files, as given. Empty: `spec` is
// something else. An error when `more` names what is no profile.
Result<std::vector<std::string>> FindMemoryProfiles(const std::string& spec,
                                                    const std::vector<std::string>& more);

}  // namespace gait::runs
