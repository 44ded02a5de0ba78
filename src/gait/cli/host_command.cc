#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class HostVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "host",
        "understand",
        "what the host threads did, and where input comes from",
        "Show what the threads of the host did, and how its time of a step splits.",
        {"gait host runs", "gait host runs --table host_python", "gait host runs --name data --sort total"}};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeHostVerb() { return std::make_unique<HostVerb>(); }

}  // namespace gait::cli
