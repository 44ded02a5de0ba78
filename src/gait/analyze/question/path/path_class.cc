#include "gait/analyze/question/path/path_class.h"

namespace gait::analyze {
namespace {

struct Words {
  std::string_view name;
  std::string_view description;
};
constexpr std::array<Words, kPathClasses> kWords = {{{"compute", "compute"},
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

std::string_view Name(PathClass c) { return kWords[Index(c)].name; }
std::string_view Describe(PathClass c) { return kWords[Index(c)].description; }

}  // namespace gait::analyze
