// The notices of gait and of the parts of others in it: THIRD_PARTY.md and LICENSE, as they were when it was
// built.
#pragma once

#include <string_view>

namespace gait::cli {

std::string_view Licenses();

}  // namespace gait::cli
