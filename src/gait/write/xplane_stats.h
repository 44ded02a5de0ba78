// Texts about a whole plane, such as the versions of a program, added to a plane that somebody else wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gait::write {

// The XSpace with these stats (name, text) in its first plane of that name. Without such a plane, the XSpace
// unchanged.
std::string WithPlaneStats(std::string_view xspace, std::string_view plane,
                           std::span<const std::pair<std::string, std::string>> stats);

}  // namespace gait::write
