#include <CLI/App.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "gait/analyze/verdict/scaling/result_record.h"
#include "gait/analyze/verdict/scaling/scaling.h"
#include "gait/analyze/verdict/scaling/scaling_report.h"
#include "gait/base/file_writer.h"
#include "gait/cli/load.h"
#include "gait/cli/scale_runner.h"
#include "gait/cli/verb.h"
#include "gait/report/table_of.h"

namespace gait::cli {
namespace {

class ScaleVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "scale",
        "compare",
        "speed-up over numbers of devices, and where the rest goes",
        "Say how well a program scales over 1, 2, 4, ... devices, and what it loses.",
        {"gait scale runs/1 runs/2 runs/4", "gait scale --weak runs/1 runs/8",
         "gait scale --devices 1,8 -- python train.py"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", runs_, "captures on different numbers of devices, or -- PROGRAM")->group("What");
    // What gait.scale of Python says instead of "-- PROGRAM": the words, and where the command is.
    app.add_option("--program", program_)->group("");
    app.add_option("--gait", gait_)->group("");
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
    ScaledRuns made;
    if (gait_.empty() && GivesProgram()) program_ = std::exchange(runs_, {});
    if (program_.empty() == runs_.empty())
      return UsageError("captures or a program, not both or none.", "gait scale --help shows what it takes.");
    if (!program_.empty()) {
      ScaleRequest request{program_, {}, directory_, steps_, gait_.empty() ? "/proc/self/exe" : gait_};
      GAIT_TRY(request.devices, ParseDevices(devices_));
      GAIT_TRY(made, RunOnDevices(request));
      for (const ScaledRun& run : made.runs) runs_.push_back(run.folder);
    } else {
      GAIT_CHECK_OK(analyze::ParseSteps(steps_, selection));
    }
    GAIT_TRY(const LoadedViews all, LoadViews(runs_, selection, common));
    std::vector<std::string> samples;
    GAIT_TRY(std::vector<analyze::ScalingRun> measured, analyze::ScalingRunsOf(all.views, samples));
    std::vector<std::string> results;
    for (size_t i = 0; i < made.runs.size(); ++i) {
      measured[i].asked = made.runs[i].devices;
      GAIT_TRY(std::string result, WriteResult(*all.views[i], measured[i], made.runs[i], made.stamp));
      results.push_back(std::move(result));
    }
    const auto kind = weak_ ? analyze::ScalingKind::kWeak : analyze::ScalingKind::kStrong;
    const std::vector<analyze::ScalingRow> rows = analyze::Scale(measured, kind);
    Outcome outcome{analyze::ScalingDocument(all.runs, rows, kind)};
    std::ranges::move(samples, std::back_inserter(outcome.document.notes));
    if (!results.empty()) {
      outcome.document.tables.push_back(ResultsTable(made, results));
      // What did not run as it was asked to is no measurement of it.
      outcome.found = !std::ranges::all_of(measured, &analyze::ScalingRun::verified);
    }
    return outcome;
  }

 private:
  // The result of one configuration, in the folder of its capture. Its path.
  static Result<std::string> WriteResult(const analyze::RunView& view, const analyze::ScalingRun& measured,
                                         const ScaledRun& run, const std::string& stamp) {
    analyze::Configuration configuration{run.devices, stamp, run.folder, {}};
    for (const runs::BesideFile& file : view.run->run.beside) {
      if (file.kind == runs::BesideKind::kMemoryProfile) configuration.memory_profiles.push_back(file.path);
    }
    std::string path = run.folder + "/" + analyze::ResultFileName(run.devices);
    GAIT_CHECK_OK(WriteFile(path, {analyze::ResultRecord(view, measured, configuration)}));
    return path;
  }

  static report::Table ResultsTable(const ScaledRuns& made, const std::vector<std::string>& results) {
    report::TableOf<std::string> t({.name = "results"});
    t.Add("devices", "that were asked for", [&](const std::string& result) {
      return made.runs[static_cast<size_t>(&result - results.data())].devices;
    });
    t.Add("result", {.elastic = true, .keep_end = true}, "the record of that run",
          [](const std::string& result) { return result; });
    return t.Of(results);
  }

  std::vector<std::string> runs_;
  std::vector<std::string> program_;
  std::string gait_;
  std::string steps_;
  std::string devices_;
  std::string directory_ = "tensorboard_logs";
  bool weak_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeScaleVerb() { return std::make_unique<ScaleVerb>(); }

}  // namespace gait::cli
