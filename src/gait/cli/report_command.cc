#include <CLI/App.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "gait/analyze/verdict/diff/diff_report.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/analyze/verdict/doctor/one_screen.h"
#include "gait/analyze/verdict/efficientids/unified.h"
#include "gait/base/file_writer.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"
#include "gait/html_report/html_report.h"
#include "gait/report/markdown.h"
#include "gait/report/numbers.h"

namespace gait::cli {
namespace {

class ReportVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "report",
        "share",
        "a run as one HTML file, as Markdown, or as unified JSON",
        "Write what there is to say about a run, or about two, for others to read.",
        {"gait report runs -o report.html", "gait report --diff before after -o change.md",
         "gait report runs --format unified -o result.json"},
        true,
        false};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", runs_, "a run; two with --diff")->required()->expected(1, 2)->group("What");
    app.add_flag("--diff", diff_, "what changed from the first run to the second")->group("What");
    app.add_option("--format", format_, "html, md or unified (JSON 1.0.0); else as FILE ends")
        ->group("Output")
        ->type_name("FORMAT");
    app.add_option("-o,--output", output_, "else report.html; md and unified on the screen")
        ->group("Output")
        ->type_name("FILE");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(const std::string format, Format());
    if (format != "html" && format != "md" && format != "unified") {
      return UsageError(fmt::format("there is no format '{}'.", format), "It is one of: html, md, unified");
    }
    if (runs_.size() != (diff_ ? 2 : 1)) {
      return UsageError(diff_ ? "--diff takes two runs." : "one run makes a report; --diff compares two.",
                        "gait report --diff BEFORE AFTER");
    }
    if (diff_ && format == "unified")
      return UsageError("the unified form is that of one run.", "Leave --diff, or take --format html or md.");
    std::string text;
    if (diff_) {
      GAIT_TRY(text, DiffText(common, format));
    } else {
      GAIT_TRY(text, RunText(common, format));
    }
    report::Document document;
    document.verb = "report";
    document.sources = runs_;
    document.read_events = false;
    document.whole = true;
    const std::string file = output_.empty() && format == "html" ? "report.html" : output_;
    if (file.empty() || IsStandardOutput(file)) {
      document.texts.push_back({format, std::move(text)});
    } else {
      if (!text.ends_with('\n')) text += '\n';
      GAIT_CHECK_OK(WriteFile(file, {text}));
      document.answer = fmt::format("Wrote {} ({}).", file, report::BytesText(text.size()));
    }
    return Outcome{std::move(document)};
  }

 private:
  // As asked for, else as the file's name ends.
  Result<std::string> Format() const {
    if (!format_.empty()) return format_;
    const std::string extension = std::filesystem::path(output_).extension().string();
    if (extension.empty() || extension == ".html" || extension == ".htm") return "html";
    if (extension == ".md") return "md";
    if (extension == ".json") return "unified";
    return UsageError(fmt::format("'{}' ends in no known format.", output_),
                      "Use .html, .md or .json, or say which with --format.");
  }

  Result<std::string> RunText(const CommonOptions& common, const std::string& format) const {
    GAIT_TRY(const auto run, Load(runs_[0], common));
    if (format == "html") return html_report::HtmlReport(run);
    GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(*run, {}));
    GAIT_TRY(const analyze::Patient patient, analyze::Examine(view));
    if (format == "unified") return analyze::UnifiedJson(patient);
    GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient));
    const report::Document overview = analyze::OneScreen(patient, diagnosis);
    const report::Document doctor = analyze::DoctorDocument(patient, diagnosis, false);
    return report::MarkdownText(overview, {.heading = overview.context}) + "\n" +
           report::MarkdownText(doctor, {.heading = "Findings"});
  }

  Result<std::string> DiffText(const CommonOptions& common, const std::string& format) const {
    GAIT_TRY(const auto a, Load(runs_[0], common));
    GAIT_TRY(const auto b, Load(runs_[1], common));
    if (format == "html") return html_report::HtmlDiff(a, b);
    GAIT_TRY(const analyze::RunView first, analyze::RunView::Make(*a, {}));
    GAIT_TRY(const analyze::RunView second, analyze::RunView::Make(*b, {}));
    std::vector<std::string> samples;
    GAIT_TRY(const std::vector<analyze::RunProfile> profiles,
             analyze::ProfilesOf({&first, &second}, samples));
    report::Document document = analyze::DiffDocument(*a, *b, analyze::Compare(profiles[0], profiles[1]));
    std::ranges::move(samples, std::back_inserter(document.notes));
    return report::MarkdownText(document, {.heading = document.context});
  }

  std::vector<std::string> runs_;
  std::string format_;
  std::string output_;
  bool diff_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeReportVerb() { return std::make_unique<ReportVerb>(); }

}  // namespace gait::cli
