#include <CLI/App.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "gait/analyze/verdict/diff/diff.h"
#include "gait/analyze/verdict/diff/diff_report.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

class DiffVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "diff",
        "compare",
        "what changed from one run to another, and whether it is real",
        "Say whether the second run is faster or slower than the first, and what changed.",
        {"gait diff before after", "gait diff before after --fail-if-slower 3%", "gait diff adam sgd lion"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", runs_, "two runs or more; the first is what the others are held against")
        ->required()
        ->expected(2, kMostRuns)
        ->group("What");
    const auto option = [&](const char* name, std::string& value, const char* about, const char* type) {
      app.add_option(name, value, about)->group("What")->type_name(type);
    };
    option("--steps", steps_, "only these steps of all runs: 3:8, 3:, :8 or 3", "RANGE");
    option("--program", selection_.program, "only while these programs run: name or pattern", "NAME");
    option("--series", selection_.series, "the steps of this annotation, where there are several", "NAME");
    option("--fail-if-slower", fail_,
           "exit code 1 when a run is slower by more than this, beyond noise, or nobody can tell", "SHARE");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    double limit = 0;
    if (!fail_.empty()) {
      GAIT_TRY(limit, analyze::ParseShare(fail_));
    }
    analyze::Selection selection = selection_;
    GAIT_CHECK_OK(analyze::ParseSteps(steps_, selection));
    GAIT_TRY(const LoadedViews all, LoadViews(runs_, selection, common));
    std::vector<std::string> samples;
    GAIT_TRY(const std::vector<analyze::RunProfile> profiles, analyze::ProfilesOf(all.views, samples));
    std::vector<analyze::RunDiff> diffs;
    std::vector<std::string> failed;
    for (size_t i = 1; i < profiles.size(); ++i) {
      diffs.push_back(analyze::Compare(profiles[0], profiles[i]));
      const std::string why = fail_.empty() ? "" : analyze::WhyNotHeld(diffs.back(), limit);
      if (!why.empty()) failed.push_back(fmt::format("failed: {}: {}", all.runs[i]->typed, why));
    }
    Outcome outcome{diffs.size() == 1 ? analyze::DiffDocument(*all.runs[0], *all.runs[1], diffs[0])
                                      : analyze::VariantsDocument(all.runs, diffs),
                    !failed.empty()};
    std::ranges::move(samples, std::back_inserter(outcome.document.notes));
    std::ranges::move(failed, std::back_inserter(outcome.document.notes));
    return outcome;
  }

 private:
  static constexpr int kMostRuns = 64;

  std::vector<std::string> runs_;
  std::string steps_;
  std::string fail_;
  analyze::Selection selection_;
};

}  // namespace

std::unique_ptr<Verb> MakeDiffVerb() { return std::make_unique<DiffVerb>(); }

}  // namespace gait::cli
