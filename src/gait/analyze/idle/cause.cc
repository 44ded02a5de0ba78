#include "gait/analyze/idle/cause.h"

namespace gait::analyze {
namespace {

struct Words {
  std::string_view name;
  std::string_view description;
};
constexpr std::array<Words, kIdleCauses> kWords = {{
    {"peer", "waited for another device"},
    {"input", "host was busy with input"},
    {"compile", "host was compiling"},
    {"host_sync", "host waited for a result"},
    {"allocator", "host was allocating memory"},
    {"dispatch", "host was late: Python, dispatch"},
    {"launch", "launch overhead"},
    {"graph_launch", "launch overhead of graphs"},
    {"dependency", "launched in time, held by a dependency"},
    {"kernel_gap", "between kernels launched in time"},
    {"unknown", "unknown"},
}};

}  // namespace

std::string_view Name(IdleCause cause) { return kWords[Index(cause)].name; }
std::string_view Describe(IdleCause cause) { return kWords[Index(cause)].description; }

std::optional<IdleCause> FindIdleCause(std::string_view name) {
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (kWords[i].name == name) return static_cast<IdleCause>(i);
  }
  return std::nullopt;
}

}  // namespace gait::analyze
