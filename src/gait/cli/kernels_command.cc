#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class KernelsVerb : public ViewVerb {
 public:
  KernelsVerb() : ViewVerb(ViewOptions::Of::kProgram) {}
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "kernels",
        "understand",
        "GPU kernels: time, occupancy, what launching them cost",
        "Show which GPU kernels ran, how long they took, how full the device was, and what launching cost.",
        {"gait kernels runs", "gait kernels runs --sort p99 --top 10",
         "gait kernels runs --name 'gemm|nvjet' --csv"}};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeKernelsVerb() { return std::make_unique<KernelsVerb>(); }

}  // namespace gait::cli
