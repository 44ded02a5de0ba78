#include <CLI/App.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/analyze/verdict/doctor/kpi.h"
#include "gait/cli/suggest.h"
#include "gait/cli/view_options.h"

namespace gait::cli {
namespace {

class DoctorVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "doctor",
        "understand",
        "what makes the step slow, what it costs, what to change",
        "Say what makes the step slow, what each finding costs and what to change.",
        {"gait doctor runs", "gait doctor runs --fail-on warning", "gait doctor --explain input"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    options_.Add(app);
    app.get_option("RUN")->required(false);
    const auto rules = [&](const char* name, std::vector<std::string>& value, const char* about) {
      // One word each: what follows is the run.
      app.add_option(name, value, about)
          ->group("Rules")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("RULES");
    };
    rules("--only", choice_.only, "only these rules: input,launch_bound");
    rules("--ignore", choice_.ignore, "all rules but these");
    app.add_option("--fail-on", fail_on_, "exit code 1 from this severity on: info, low, warning, high")
        ->group("Rules")
        ->type_name("LEVEL");
    app.add_flag("--kpi", kpi_, "key figures with their limits instead of findings")->group("Rules");
    app.add_flag("--list", list_, "the rules")->group("Rules");
    app.add_option("--explain", explain_, "what a rule means and how its cost is computed")
        ->group("Rules")
        ->type_name("RULE");
    app.add_flag("--verbose", verbose_, "also what was clean and what could not be checked")->group("Rules");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    if (list_) return Outcome{analyze::RulesDocument()};
    if (!explain_.empty()) return Explain();
    std::optional<analyze::Severity> fail_on;
    if (!fail_on_.empty()) {
      fail_on = analyze::FindSeverity(fail_on_);
      if (!fail_on) {
        return UsageError(fmt::format("there is no severity '{}'.", fail_on_),
                          "It is one of: info, low, warning, high");
      }
    }
    if (options_.run().empty())
      return UsageError("RUN is required.", "gait doctor --help shows what it takes.");
    GAIT_TRY(const auto run, options_.Load(common));
    GAIT_TRY(const analyze::RunView view, options_.View(*run));
    GAIT_TRY(const analyze::Patient patient, analyze::Examine(view));
    if (kpi_) {
      analyze::Level worst{};
      Outcome outcome{analyze::KpiDocument(patient, &worst)};
      // A bad figure is high, one to watch a warning.
      const auto least =
          fail_on == analyze::Severity::kHigh ? analyze::Level::kBad : analyze::Level::kWarning;
      outcome.found = fail_on && worst >= least;
      return outcome;
    }
    GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient, choice_));
    const bool found =
        fail_on && std::ranges::any_of(diagnosis.findings, [&](const analyze::Finding& finding) {
          return finding.severity >= *fail_on;
        });
    return Outcome{analyze::DoctorDocument(patient, diagnosis, verbose_), found};
  }

 private:
  Result<Outcome> Explain() const {
    if (const analyze::Rule* rule = analyze::FindRule(explain_))
      return Outcome{analyze::ExplainDocument(*rule)};
    std::vector<std::string_view> names;
    for (const analyze::Rule& rule : analyze::AllRules()) names.push_back(rule.name);
    const std::string_view meant = Suggest(explain_, names);
    return UsageError(
        fmt::format("there is no rule '{}'.", explain_),
        meant.empty() ? "gait doctor --list shows the rules." : fmt::format("Did you mean: {}", meant));
  }

  ViewOptions options_;
  analyze::RuleChoice choice_;
  std::string fail_on_;
  std::string explain_;
  bool kpi_ = false;
  bool list_ = false;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeDoctorVerb() { return std::make_unique<DoctorVerb>(); }

}  // namespace gait::cli
