#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class PathVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "path",
        "understand",
        "the critical path of a step; what it would take without a part",
        "Show the critical path of a step, and what the step would take without each part of it.",
        {"gait path runs", "gait path runs --steps 3:8", "gait path runs --table path_steps --csv"}};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Verb> MakePathVerb() { return std::make_unique<PathVerb>(); }

}  // namespace gait::cli
