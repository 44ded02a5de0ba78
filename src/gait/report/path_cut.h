// CutPaths: paths of one column in fewer cells, each of their components cut where it is like the others'.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>

namespace gait::report {

// By path, for those that are longer than `width` cells. Components are held against those at the same place
// from the end. Those that all paths share give their room first, then the widest, and what tells a component
// from the one most like it stays. A path whose components cannot give enough is cut in its middle.
std::unordered_map<std::string, std::string> CutPaths(std::span<const std::string> paths, size_t width);

}  // namespace gait::report
