// The parts of the name that the Python tracer gives a frame: "$array.py:404 __array__", "$time sleep".
#pragma once

#include <string_view>

namespace gait::analyze {

struct PythonName {
  std::string_view file;      // "array.py", or the module
  std::string_view function;  // "block_until_ready"
};

inline PythonName SplitPython(std::string_view name) {
  name.remove_prefix(1);
  const size_t space = name.rfind(' ');
  if (space == std::string_view::npos) return {{}, name};
  std::string_view file = name.substr(0, space);
  const size_t colon = file.rfind(':');
  if (colon != std::string_view::npos) file = file.substr(0, colon);
  return {file, name.substr(space + 1)};
}

}  // namespace gait::analyze
