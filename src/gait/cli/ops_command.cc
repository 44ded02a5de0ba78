#include <CLI/App.hpp>

#include "gait/cli/peak_options.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class OpsVerb : public ViewVerb {
 public:
  OpsVerb() : ViewVerb(ViewOptions::Of::kProgram) {}
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "ops",
        "understand",
        "which operations, scopes and layers take the device's time",
        "Show which operations, scopes and layers take the device's time.",
        {"gait ops runs", "gait ops runs --by layer", "gait ops runs --by scope --name attention"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    ViewVerb::AddOptions(app);
    app.add_option("--by", question_.by, "op, scope, category, source, program, layer or shape")
        ->group("What")
        ->type_name("WHAT");
    AddPeakOptions(app, question_);
  }
};

}  // namespace

std::unique_ptr<Verb> MakeOpsVerb() { return std::make_unique<OpsVerb>(); }

}  // namespace gait::cli
