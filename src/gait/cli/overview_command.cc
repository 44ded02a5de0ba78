#include "gait/cli/peak_options.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class OverviewVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "overview",
        "understand",
        "a run on one screen",
        "Show a run on one screen: step time, where it went, scopes, memory, what was lost.",
        {"gait overview runs", "gait overview runs --steps 3:8", "gait overview runs --table where --csv"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    ViewVerb::AddOptions(app);
    AddPeakOptions(app, question_);
  }
};

}  // namespace

std::unique_ptr<Verb> MakeOverviewVerb() { return std::make_unique<OverviewVerb>(); }

}  // namespace gait::cli
