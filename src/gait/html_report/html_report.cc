#include "gait/html_report/html_report.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "gait/html_report/answers.h"
#include "gait/html_report/step_window.h"
#include "gait/report/json.h"
#include "gait/serve/assets.h"
#include "gait/serve/open_run.h"
#include "gait/serve/routes.h"
#include "gait/serve/timeline_json.h"
#include "gait/timeline/recording.h"
#include "gait/verbs/question.h"

namespace gait::html_report {
namespace {

// Beyond that a file would pass a few megabytes.
constexpr size_t kMostSlices = 120'000;

struct Question {
  std::string what;
  std::multimap<std::string, std::string> parameters{};
};

// What the sections of the page ask about a run (web/src/report/RunReport.tsx).
const std::vector<Question>& RunQuestions() {
  static const std::vector<Question> kQuestions = {{"overview"},
                                                   {"steps"},
                                                   {"idle"},
                                                   {"info"},
                                                   {"roofline", {{"table", "step"}}},
                                                   {"doctor", {{"verbose", "1"}}},
                                                   {"ops", {{"by", "op"}}},
                                                   {"ops", {{"by", "scope"}}},
                                                   {"ops", {{"by", "layer"}}},
                                                   {"ops", {{"by", "category"}}},
                                                   {"ops", {{"by", "source"}}},
                                                   {"ops", {{"by", "program"}}},
                                                   {"ops", {{"by", "shape"}}},
                                                   {"memory"}};
  return kQuestions;
}

std::string Path(const std::string& id, const Question& question) {
  std::string path = fmt::format("runs/{}/{}", id, question.what);
  char separator = '?';
  for (const auto& [name, value] : question.parameters) {
    path += fmt::format("{}{}={}", separator, name, value);
    separator = '&';
  }
  return path;
}

// A run of the report, as the server would list it.
struct Member {
  explicit Member(const std::shared_ptr<const analyze::LoadedRun>& run)
      : open(std::make_shared<serve::OpenRun>(run)) {
    listed.id = serve::HashText(run->run.path);
    listed.version = "1";
    listed.run = run->run;
    listed.run.label = run->typed;  // as the title has it; folders of captures are named by their time
  }
  serve::ListedRun listed;
  std::shared_ptr<serve::OpenRun> open;
};

// An answer that is an error is one too: the page says it where the answer would stand.
void AddReply(Answers& answers, const Member& member, const Question& question, const serve::Reply& reply) {
  answers.Add(Path(member.listed.id, question), *reply.body);
}

Result<void> AddTimeline(Answers& answers, const Member& member) {
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, member.open->View({}));
  GAIT_TRY(const analyze::Patient patient, analyze::Examine(*view));
  GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient));
  const timeline::Timeline& timeline = member.open->timeline();
  const timeline::Book& book = member.open->book();
  const timeline::Recording recording =
      timeline::Record(book.tracks, StepWindow(*view, diagnosis, timeline), kMostSlices);
  const size_t names = recording.names.size();
  answers.Add(Path(member.listed.id, {"tracks"}),
              serve::TracksJson({timeline, recording.tracks, recording.window, names}));
  answers.Add(Path(member.listed.id, {"names"}), serve::NamesJson(book, recording.names, 0, names));
  answers.Add(Path(member.listed.id, {"recording"}), recording.tile);
  return {};
}

Result<void> AddRun(Answers& answers, const Member& member) {
  for (const Question& question : RunQuestions()) {
    const serve::Request request{.path = "", .parameters = question.parameters};
    AddReply(answers, member, question,
             serve::VerbReply(*member.open, question.what, serve::Parameters(request)));
  }
  const auto is_profile = [](const runs::BesideFile& file) {
    return file.kind == runs::BesideKind::kMemoryProfile;
  };
  if (std::ranges::any_of(member.listed.run.beside, is_profile)) {
    const serve::Request nothing;
    AddReply(answers, member, {"heap"}, serve::HeapReply(member.listed, serve::Parameters(nothing)));
  }
  return AddTimeline(answers, member);
}

void AddList(Answers& answers, const std::vector<const Member*>& members) {
  std::string list;
  for (const Member* member : members) {
    list += (list.empty() ? "" : ",") + serve::RunJson(member->listed, serve::RunState::kOpen);
  }
  answers.Add("runs",
              fmt::format(R"({{"directory":"","version":"","runs":[{}],"notes":[],"empty":null}})", list));
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

// The page as it was built, with the title, the answer and the data in their places.
Result<std::string> FillPage(const std::string& title, const std::string& answer, const Answers& answers) {
  const auto assets = serve::Assets();
  const auto page = std::ranges::find(assets, "/report.html", &serve::Asset::path);
  if (page == assets.end()) {
    return Unreadable("this gait was built without its web app, which makes the report.",
                      "`make build` builds both; --format md needs none.");
  }
  std::string html(page->content);
  const auto fill = [&](std::string_view mark, const std::string& text) {
    const size_t at = html.find(mark);
    if (at != std::string::npos) html.replace(at, mark.size(), text);
  };
  // From the last to the first: a mark inside what was filled in is never the first of its kind.
  fill("GAIT_DATA", answers.Pack());
  fill("GAIT_ANSWER", EscapeHtml(answer));
  fill("GAIT_TITLE", EscapeHtml(title));
  return html;
}

}  // namespace

Result<std::string> HtmlReport(const std::shared_ptr<const analyze::LoadedRun>& run) {
  const Member member(run);
  Answers answers;
  AddList(answers, {&member});
  GAIT_CHECK_OK(AddRun(answers, member));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, member.open->View({}));
  GAIT_TRY(const report::Document overview, verbs::Answer(*view, {.verb = "overview"}));
  return FillPage(run->typed, overview.answer, answers);
}

Result<std::string> HtmlDiff(const std::shared_ptr<const analyze::LoadedRun>& before,
                             const std::shared_ptr<const analyze::LoadedRun>& after) {
  const Member a(before);
  Member b(after);
  if (b.listed.id == a.listed.id) b.listed.id += "b";  // a run against itself
  Answers answers;
  AddList(answers, {&a, &b});
  const Question question = {"diff", {{"with", b.listed.id}}};
  const serve::Request request{.path = "", .parameters = question.parameters};
  const serve::Reply reply = serve::DiffReply({a.open, b.open}, serve::Parameters(request));
  AddReply(answers, a, question, reply);
  for (const Member* member : {&std::as_const(a), &std::as_const(b)}) {
    const serve::Request nothing;
    AddReply(answers, *member, {"steps"},
             serve::VerbReply(*member->open, "steps", serve::Parameters(nothing)));
    GAIT_CHECK_OK(AddTimeline(answers, *member));
  }
  return FillPage(fmt::format("{} against {}", before->typed, after->typed), "", answers);
}

}  // namespace gait::html_report
