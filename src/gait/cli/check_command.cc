#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "gait/analyze/verdict/check/check.h"
#include "gait/analyze/verdict/check/config.h"
#include "gait/base/bytes_source.h"
#include "gait/base/file_writer.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

constexpr const char* kConfigFile = "gait.toml";
constexpr const char* kDefaultSlower = "3%";

class CheckVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {"check",
                                       "compare",
                                       "limits on a run, for continuous integration",
                                       "Hold a run to limits; exit code 1 when one is broken.",
                                       {"gait check runs 'step_time < 12ms' 'device_busy > 80%'",
                                        "gait check runs --baseline runs/main --max-slower 3%",
                                        "gait check runs --config gait.toml --junit report.xml"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", run_, kRunHelp)->required()->group("What");
    app.add_option("LIMIT", limits_, "'METRIC < VALUE'; also <=, >, >=, ==, !=")->group("What");
    const auto option = [&](const char* name, std::string& value, const char* about, const char* type) {
      app.add_option(name, value, about)->group("What")->type_name(type);
    };
    option("--baseline", baseline_, "a run that this one must not be slower than", "RUN");
    option("--max-slower", max_slower_, "by how much it may be, beyond noise (3%)", "SHARE");
    option("--config", config_, "file with limits; ./gait.toml where there is one", "FILE");
    app.add_flag("--list", list_, "the metrics and their values")->group("What");
    app.add_option("--junit", junit_, "also write a JUnit report here")->group("Output")->type_name("FILE");
    app.add_flag("--github", github_, "also print annotations for GitHub")->group("Output");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_CHECK_OK(ReadConfig());
    std::vector<analyze::Limit> limits;
    for (const std::string& text : limits_) {
      GAIT_TRY(analyze::Limit limit, analyze::ParseLimit(text));
      limits.push_back(std::move(limit));
    }
    if (limits.empty() && baseline_.empty() && !list_) {
      return UsageError("there is nothing to check.",
                        "Give limits ('step_time < 12ms'), --baseline or --config.");
    }
    GAIT_TRY(const double slower, analyze::ParseShare(max_slower_.empty() ? kDefaultSlower : max_slower_));
    GAIT_TRY(const auto run, Load(run_, common));
    GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(*run, {}));
    GAIT_TRY(const analyze::Patient patient, analyze::Examine(view));
    GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient));
    const std::vector<analyze::Metric> metrics = analyze::MetricsOf(patient, diagnosis);
    GAIT_TRY(std::vector<analyze::CheckRow> rows, analyze::CheckLimits(limits, metrics));
    if (!baseline_.empty()) {
      GAIT_TRY(const analyze::CheckRow row, AgainstBaseline(common, view, slower));
      rows.push_back(row);
    }
    analyze::AddEvidence(patient, diagnosis, rows);
    Outcome outcome{analyze::CheckDocument(patient, rows, metrics, list_)};
    for (const analyze::CheckRow& row : rows) outcome.found |= !row.held;
    if (IsStandardOutput(junit_)) {
      outcome.document.texts.push_back({"junit", analyze::JUnitText(rows, run_)});
    } else if (!junit_.empty()) {
      GAIT_CHECK_OK(WriteFile(junit_, {analyze::JUnitText(rows, run_)}));
    }
    if (github_) outcome.document.texts.push_back({"github", analyze::GithubText(rows, run_)});
    return outcome;
  }

 private:
  Result<void> ReadConfig() {
    std::error_code error;
    if (config_.empty() && std::filesystem::is_regular_file(kConfigFile, error)) config_ = kConfigFile;
    if (config_.empty()) return {};
    Result<OpenedFile> file = OpenFile(config_);
    if (!file) {
      file.error().hint = "--config takes a TOML file with limits.";
      return std::unexpected(std::move(file.error()));
    }
    GAIT_TRY(const analyze::CheckConfig config, analyze::ParseConfig(file->bytes.view(), config_));
    limits_.insert(limits_.end(), config.limits.begin(), config.limits.end());
    if (baseline_.empty()) baseline_ = config.baseline;
    if (max_slower_.empty()) max_slower_ = config.max_slower;
    return {};
  }

  Result<analyze::CheckRow> AgainstBaseline(const CommonOptions& common, const analyze::RunView& view,
                                            double slower) const {
    GAIT_TRY(const auto base, Load(baseline_, common));
    GAIT_TRY(const analyze::RunView base_view, analyze::RunView::Make(*base, {}));
    std::vector<std::string> samples;
    GAIT_TRY(const std::vector<analyze::RunProfile> profiles,
             analyze::ProfilesOf({&base_view, &view}, samples));
    return analyze::CheckBaseline(analyze::Compare(profiles[0], profiles[1]), slower);
  }

  std::string run_;
  std::vector<std::string> limits_;
  std::string baseline_;
  std::string max_slower_;
  std::string config_;
  std::string junit_;
  bool github_ = false;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeCheckVerb() { return std::make_unique<CheckVerb>(); }

}  // namespace gait::cli
