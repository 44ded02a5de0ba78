#include "gait/analyze/verdict/doctor/claims/program_size.h"

#include <algorithm>
#include <map>

namespace gait::analyze {

size_t OperationsOfMainProgram(const Patient& patient) {
  struct Sum {
    Ps self;
    size_t operations = 0;
  };
  std::map<const Program*, Sum> programs;
  for (const OpTotal& total : patient.operations()) {
    if (!total.what.attributed() || total.self == Ps()) continue;
    Sum& sum = programs[total.what.program];
    sum.self += total.self;
    ++sum.operations;
  }
  const auto main =
      std::ranges::max_element(programs, {}, [](const auto& entry) { return entry.second.self; });
  return main == programs.end() ? 0 : main->second.operations;
}

}  // namespace gait::analyze
