// Names of kernels for people: as short as they can be while no two kernels of a capture look alike.
//
// A C++ kernel has its last name. Where kernels share this name, the template arguments that differ are
// added; where that is not enough, namespaces, parameters and at last the whole name. A wrapper that says
// nothing (`Kernel2<...>`) always shows its arguments. A long name of one word
// (`Cijk_Ailk_Bljk_..._MT256x128x64_...`) keeps its beginning and the parts that differ.
//
// Promise: different names in, different short names out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gait::analyze {

// "_Z3addPf" as "add(float*)"; anything else as it is.
std::string Demangle(std::string_view name);

// The short names, in the order of `names`, which are demangled already. Equal names get equal short names.
// O(total length of names) for names that do not collide.
std::vector<std::string> ShortKernelNames(std::span<const std::string> names);

}  // namespace gait::analyze
