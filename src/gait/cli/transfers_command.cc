#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class TransfersVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "transfers",
        "understand",
        "copies between host and devices: rate, staging, who asked",
        "Show what was copied between host and devices, how fast, and what the host did for it.",
        {"gait transfers runs", "gait transfers runs --steps 3:8",
         "gait transfers runs --table transfer_sites --csv"}};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeTransfersVerb() { return std::make_unique<TransfersVerb>(); }

}  // namespace gait::cli
