// Names of kernels for people: as short as they can be while no two kernels of a capture look alike.
//
// A C++ kernel is called by its last name; its template arguments appear where kernels share that name, and
// of the arguments only those that differ; namespaces, parameters and at last the whole name where that is
// not enough. A wrapper that says nothing (`Kernel2<...>`) always shows its arguments. A long name of one
// word
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

// By position. The names are demangled already; equal names get equal short names. O(total length of names)
// for names that do not collide.
std::vector<std::string> ShortKernelNames(std::span<const std::string> names);

}  // namespace gait::analyze
