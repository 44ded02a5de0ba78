#include "gait/analyze/host/path_class.h"

namespace gait::analyze {
namespace {

struct ClassWords {
  std::string_view name;
  std::string_view description;
};
constexpr std::array<ClassWords, kPathClasses> kClassWords = {{{"compute", "compute"},
                                                               {"communication", "communication"},
                                                               {"copies", "copies"},
                                                               {"kernel_gap", "gaps between kernels"},
                                                               {"launch", "launch overhead"},
                                                               {"dispatch", "Python and dispatch"},
                                                               {"input", "input"},
                                                               {"compile", "compiling"},
                                                               {"host_sync", "waiting for results"},
                                                               {"unknown", "not known"}}};

}  // namespace

std::string_view Name(PathClass c) { return kClassWords[Index(c)].name; }
std::string_view Describe(PathClass c) { return kClassWords[Index(c)].description; }

}  // namespace gait::analyze
