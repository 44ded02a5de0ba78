#include <CLI/App.hpp>

#include <memory>
#include <vector>

#include "gait/analyze/scaling/scaling.h"
#include "gait/analyze/scaling/scaling_report.h"
#include "gait/cli/load.h"
#include "gait/cli/scale_runner.h"
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
         "gait scale --devices 1,8 -- python train.py"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", runs_, "captures on different numbers of devices, or -- PROGRAM")
        ->required()
        ->group("What");
    app.add_option("--devices", devices_, "numbers of devices for a program: 1,2,4,8")
        ->group("What")
        ->type_name("LIST");
    app.add_option("--dir", directory_, "where the captures of a program go")
        ->group("What")
        ->type_name("DIR");
    app.add_flag("--weak", weak_, "the work grows with the devices")->group("What");
    app.add_option("--steps", steps_, "steps that count, or those of a program to capture")
        ->group("What")
        ->type_name("RANGE");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    analyze::Selection selection;
    if (GivesProgram()) {
      ScaleRequest request{runs_, {}, directory_, steps_};
      GAIT_TRY(request.devices, ParseDevices(devices_));
      GAIT_TRY(runs_, RunOnDevices(request));
    } else {
      GAIT_CHECK_OK(analyze::ParseSteps(steps_, selection));
    }
    std::vector<std::shared_ptr<const analyze::LoadedRun>> loaded;
    std::vector<const analyze::LoadedRun*> runs;
    std::vector<analyze::ScalingRun> measured;
    for (const std::string& run : runs_) {
      GAIT_TRY(auto one, Load(run, common));
      runs.push_back(loaded.emplace_back(std::move(one)).get());
      GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(*runs.back(), selection));
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
  std::vector<std::string> runs_;
  std::string steps_;
  std::string devices_;
  std::string directory_ = "tensorboard_logs";
  bool weak_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeScaleVerb() { return std::make_unique<ScaleVerb>(); }

}  // namespace gait::cli
