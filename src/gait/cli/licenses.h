// The notices of gait and of the third-party parts in it: THIRD_PARTY.md and LICENSE as of the build.
#pragma once

#include <string_view>

namespace gait::cli {

std::string_view Licenses();

}  // namespace gait::cli
