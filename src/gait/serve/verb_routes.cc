// The verbs: what `gait VERB --json` prints.
#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/inspect/dump.h"
#include "gait/analyze/inspect/hlo.h"
#include "gait/analyze/inspect/info.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/base/parse_time.h"
#include "gait/report/csv.h"
#include "gait/report/json.h"
#include "gait/serve/routes.h"
#include "gait/serve/verb_reply.h"
#include "gait/verbs/view_verbs.h"

namespace gait::serve {
namespace {

Result<report::Document> View(OpenRun& run, const verbs::ViewVerb& verb, const Parameters& parameters) {
  verbs::Question question{.verb = std::string(verb.help.name)};
  ParameterNames own;
  for (const verbs::QuestionOption& option : verb.options) {
    const std::string name(own.emplace_back(option.name));
    if (const auto* text = std::get_if<std::string verbs::Question::*>(&option.field)) {
      question.** text = parameters.Text(name);
    } else {
      GAIT_TRY(question.*std::get<std::optional<double> verbs::Question::*>(option.field),
               parameters.Number(name));
    }
  }
  GAIT_CHECK_OK(parameters.Allow(Joined({kSelectionNames, own, kRowNames})));
  GAIT_CHECK_OK(verbs::Check(question));
  GAIT_TRY(const analyze::Selection selection, SelectionOf(parameters));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run.View(selection));
  if (parameters.gone().stop_requested()) return Unreadable("nobody waits for this answer any more.");
  return verbs::Answer(*view, question);
}

Result<report::Document> Dump(OpenRun& run, const Parameters& parameters) {
  constexpr int64_t kRows = 1000;
  constexpr int64_t kMostRows = 100'000;
  GAIT_CHECK_OK(parameters.Allow(Joined({{"track", "from", "to", "limit"}, kRowNames})));
  analyze::DumpOptions options;
  options.track = parameters.Text("track");
  options.name = parameters.Text("name");
  if (parameters.Has("from")) {
    GAIT_TRY(options.from, ParseTime(parameters.Text("from")));
  }
  if (parameters.Has("to")) {
    GAIT_TRY(options.to, ParseTime(parameters.Text("to")));
  }
  GAIT_TRY(const std::optional<int64_t> limit, parameters.Integer("limit", 1, kMostRows));
  options.limit = static_cast<uint64_t>(limit.value_or(kRows));
  GAIT_CHECK_OK(analyze::CheckOptions(options));
  return analyze::DumpDocument(run.shared_run(), options);
}

// "a,b"
std::vector<std::string> ListOf(const std::string& text) {
  std::vector<std::string> items;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    items.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return items;
}

Result<report::Document> Doctor(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(Joined({kSelectionNames, {"only", "ignore", "verbose"}, kRowNames})));
  GAIT_TRY(const bool verbose, parameters.Flag("verbose"));
  GAIT_TRY(const analyze::Selection selection, SelectionOf(parameters));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run.View(selection));
  if (parameters.gone().stop_requested()) return Unreadable("nobody waits for this answer any more.");
  GAIT_TRY(const analyze::Patient patient, analyze::Examine(*view));
  GAIT_TRY(const analyze::Diagnosis diagnosis,
           analyze::Diagnose(patient, {ListOf(parameters.Text("only")), ListOf(parameters.Text("ignore"))}));
  return analyze::DoctorDocument(patient, diagnosis, verbose);
}

Result<report::Document> Make(OpenRun& run, const std::string& verb, const Parameters& parameters) {
  if (verb == "dump") return Dump(run, parameters);
  if (verb == "doctor") return Doctor(run, parameters);
  if (verb == "info") {
    GAIT_CHECK_OK(parameters.Allow(kRowNames));
    return analyze::InfoDocument(run.run());
  }
  if (verb == "hlo") {
    GAIT_CHECK_OK(parameters.Allow(Joined({{"program", "instruction"}, kRowNames})));
    return analyze::HloDocument(run.shared_run(), parameters.Text("program"), parameters.Text("instruction"));
  }
  return View(run, *verbs::FindViewVerb(verb), parameters);
}

}  // namespace

Reply DocumentReply(report::Document document, const Parameters& parameters) {
  Result<report::TableOptions> rows = RowOptionsOf(parameters);
  if (!rows) return ErrorReply(rows.error());
  if (document.verb == "dump") rows->name.clear();  // it selected events already
  if (auto chosen = report::ChooseRows(document, *rows); !chosen) return ErrorReply(chosen.error());
  const std::string format = parameters.Text("format");
  report::Output out;
  if (format.empty() || format == "json") {
    report::WriteJson(document, out);
    return JsonReply(out.text());
  }
  if (format != "csv") {
    return ErrorReply({ErrorKind::kUsage, fmt::format("format is json or csv, not '{}'.", format), ""});
  }
  if (const report::Table* table = report::FindTable(document, rows->table)) report::WriteCsv(*table, out);
  Reply reply = JsonReply(out.text());
  reply.content_type = "text/csv; charset=utf-8";
  return reply;
}

Reply VerbReply(OpenRun& run, const std::string& verb, const Parameters& parameters) {
  Result<report::Document> document = Make(run, verb, parameters);
  if (!document) return ErrorReply(document.error());
  return DocumentReply(std::move(*document), parameters);
}

}  // namespace gait::serve
