#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class CompileVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "compile",
        "understand",
        "what was compiled in the capture, how long it took, and why",
        "Show what was compiled while the capture ran, how long it took, and why it was compiled again.",
        {"gait compile runs", "gait compile runs --sort autotuning",
         "gait compile runs --table compile_phases"}};
    return kHelp;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeCompileVerb() { return std::make_unique<CompileVerb>(); }

}  // namespace gait::cli
