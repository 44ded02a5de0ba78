#include <CLI/App.hpp>

#include <charconv>

#include "gait/analyze/steps_report.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

// "3:8" is steps 3 to 8, both included; "3:" and ":8" are open on one side; "3" is one step.
Result<analyze::StepsOptions> ParseSteps(const std::string& text) {
  analyze::StepsOptions options;
  if (text.empty()) return options;
  const auto number = [&](std::string_view part, std::optional<int64_t>& out) {
    if (part.empty()) return true;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    out = value;
    return error == std::errc() && end == part.data() + part.size();
  };
  const std::string_view view = text;
  const size_t colon = view.find(':');
  const bool good =
      colon == std::string_view::npos
          ? number(view, options.first) && number(view, options.last)
          : number(view.substr(0, colon), options.first) && number(view.substr(colon + 1), options.last);
  if (!good || text == ":") {
    return UsageError("'" + text + "' is not a range of steps.", "Write it as 3:8, 3:, :8 or 3.");
  }
  return options;
}

class StepsVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "steps",
        "understand",
        "how long each step took and where its time went",
        "Show how long each step took and where its time went.",
        {"gait steps runs", "gait steps runs --steps 3:8", "gait steps runs --table step_devices --csv"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", run_, kRunHelp)->required()->group("What");
    app.add_option("--steps", steps_, "only these steps: 3:8, 3:, :8 or 3")
        ->group("What")
        ->type_name("RANGE");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(const analyze::StepsOptions options, ParseSteps(steps_));
    GAIT_TRY(const analyze::LoadedRun run, Load(run_, common));
    return Outcome{analyze::StepsDocument(run, options)};
  }

 private:
  std::string run_;
  std::string steps_;
};

}  // namespace

std::unique_ptr<Verb> MakeStepsVerb() { return std::make_unique<StepsVerb>(); }

}  // namespace gait::cli
