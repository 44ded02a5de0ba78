#include <CLI/App.hpp>

#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class IdleVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "idle",
        "understand",
        "why the device did nothing, and what the host did then",
        "Show why the device did nothing, cause by cause, and what the host did then.",
        {"gait idle runs", "gait idle runs --cause input", "gait idle runs --table idle_gaps --csv"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    ViewVerb::AddOptions(app);
    app.add_option("--cause", question_.cause, "only gaps with time of this cause: input, dispatch, ...")
        ->group("What")
        ->type_name("CAUSE");
  }
};

}  // namespace

std::unique_ptr<Verb> MakeIdleVerb() { return std::make_unique<IdleVerb>(); }

}  // namespace gait::cli
