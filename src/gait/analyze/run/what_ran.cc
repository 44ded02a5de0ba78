#include "gait/analyze/run/what_ran.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gait::analyze {

std::string UnlikeSentence(std::span<const WhatRan> runs) {
  std::vector<std::string> unlike;
  const auto add = [&](const char* what, std::string WhatRan::* which) {
    std::vector<std::string> names;
    for (const WhatRan& run : runs) {
      const std::string& name = run.*which;
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (names.size() > 1) unlike.push_back(fmt::format("other {} ({})", what, fmt::join(names, ", ")));
  };
  add("devices", &WhatRan::devices);
  add("programs", &WhatRan::program);
  return unlike.empty() ? "" : fmt::format("The runs have {}. ", fmt::join(unlike, " and "));
}

std::string ProgramWithoutNumber(std::string_view program) {
  const size_t dot = program.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == program.size()) return std::string(program);
  if (program.find_first_not_of("0123456789", dot + 1) != std::string_view::npos) return std::string(program);
  return std::string(program.substr(0, dot));
}

}  // namespace gait::analyze
