#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class CollectivesVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "collectives",
        "understand",
        "what communication between devices cost, and who waited",
        "Show what communication between devices cost, and who waited for whom.",
        {"gait collectives runs", "gait collectives runs --sort bus_bandwidth",
         "gait collectives runs --table collective_devices"}};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeCollectivesVerb() { return std::make_unique<CollectivesVerb>(); }

}  // namespace gait::cli
