// WriteFile: a whole file that is either there or not.
#pragma once

#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::cli {

// Writes beside the name and renames. An error when that cannot be done; nothing is left behind then.
Result<void> WriteFile(const std::string& path, std::string_view text);

}  // namespace gait::cli
