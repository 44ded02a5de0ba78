#include <CLI/App.hpp>

#include <deque>

#include "gait/analyze/scaling/scaling.h"
#include "gait/analyze/scaling/scaling_report.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

class ScaleVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "scale",
        "compare",
        "speed-up over numbers of devices, and where the rest goes",
        "Say how well a program scales over its runs on 1, 2, 4, ... devices, and where the loss is.",
        {"gait scale runs/1 runs/2 runs/4", "gait scale --weak runs/1 runs/8",
         "gait scale runs/1 runs/8 --json"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", runs_, "captures of the same program on different numbers of devices")
        ->required()
        ->expected(1, kMostRuns)
        ->group("What");
    app.add_flag("--weak", weak_, "the work grows with the devices")->group("What");
    app.add_option("--steps", steps_, "only these steps of all runs: 3:8, 3:, :8 or 3")
        ->group("What")
        ->type_name("RANGE");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    analyze::Selection selection;
    GAIT_CHECK_OK(analyze::ParseSteps(steps_, selection));
    std::deque<analyze::LoadedRun> loaded;
    std::vector<const analyze::LoadedRun*> runs;
    std::vector<analyze::ScalingRun> measured;
    for (const std::string& run : runs_) {
      GAIT_TRY(analyze::LoadedRun one, Load(run, common));
      loaded.push_back(std::move(one));
      runs.push_back(&loaded.back());
      GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(loaded.back(), selection));
      measured.push_back(analyze::ScalingRunOf(view));
      if (measured.back().devices == 0) {
        return Unreadable(run + ": no device did anything in this capture.", "gait doctor says why.");
      }
    }
    const auto kind = weak_ ? analyze::ScalingKind::kWeak : analyze::ScalingKind::kStrong;
    const std::vector<analyze::ScalingRow> rows = analyze::Scale(measured, kind);
    return Outcome{analyze::ScalingDocument(runs, rows, kind)};
  }

 private:
  static constexpr int kMostRuns = 64;

  std::vector<std::string> runs_;
  std::string steps_;
  bool weak_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeScaleVerb() { return std::make_unique<ScaleVerb>(); }

}  // namespace gait::cli
