#include <CLI/App.hpp>

#include <fmt/format.h>

#include "gait/analyze/idle/idle_report.h"
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
    app.add_option("--cause", cause_, "only gaps of this cause: input, compile, dispatch, ...")
        ->group("What")
        ->type_name("CAUSE");
  }

 protected:
  Result<Outcome> Report(const analyze::RunView& view) override {
    const std::optional<analyze::IdleCause> cause = analyze::FindIdleCause(cause_);
    if (!cause_.empty() && !cause) {
      std::string known;
      for (size_t c = 0; c < analyze::kIdleCauses; ++c) {
        known += fmt::format("{}{}", c == 0 ? "" : ", ", Name(static_cast<analyze::IdleCause>(c)));
      }
      return UsageError(fmt::format("there is no cause '{}'.", cause_), "The causes are: " + known);
    }
    return Outcome{analyze::IdleDocument(view, cause)};
  }

 private:
  std::string cause_;
};

}  // namespace

std::unique_ptr<Verb> MakeIdleVerb() { return std::make_unique<IdleVerb>(); }

}  // namespace gait::cli
