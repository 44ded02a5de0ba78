#include "gait/serve/routes.h"

#include <exception>
#include <set>

#include <fmt/format.h>

#include "gait/base/thread_pool.h"
#include "gait/report/json_writer.h"
#include "gait/runs/names.h"
#include "gait/serve/ahead.h"
#include "gait/serve/compress.h"
#include "gait/verbs/view_verbs.h"

namespace gait::serve {
namespace {

constexpr size_t kReplyBudget = size_t{128} << 20;
constexpr size_t kSummaryBudget = size_t{4} << 20;
constexpr int kMostAtWork = 400;  // fewer than connections: there is room left to say so

constexpr std::string_view kBrowsers = "gzip, deflate, br, zstd";  // what they accept

constexpr int kGone = 410;
constexpr int kBusy = 503;

Reply NotFound(const std::string& what, const std::string& hint = {}) {
  return ErrorReply(kNotFound, {ErrorKind::kUsage, what, hint});
}

// The request as text: equal ones have equal replies, others other keys.
std::string KeyOf(const ListedRun& run, const Request& request) {
  std::string key = JoinedKey({run.id, run.version, request.path});
  for (const auto& [name, value] : request.parameters) {
    if (name != "v") key += JoinedKey({name, value});
  }
  return key;
}

bool IsQuestion(const std::string& what) {
  static const std::set<std::string> kQuestions = {
      "doctor", "executions", "diff",   "load", "files", "heap", "summary", "tracks", "names",
      "tile",   "event",      "search", "area", "flame", "dump", "info",    "hlo",    "scale"};
  return kQuestions.contains(what) || verbs::FindViewVerb(what) != nullptr;
}

// Whether captures beside the run may be a part of the answer.
bool LooksBeside(const std::string& what) {
  const verbs::ViewVerb* verb = verbs::FindViewVerb(what);
  return what == "diff" || what == "scale" || (verb != nullptr && verb->looks_beside);
}

// The captures in the folder of the run, as text; empty where it lies in none.
std::string KeyOfFolder(const RunList& list, const ListedRun& run) {
  const std::string_view folder = runs::FolderOfCaptures(run.run.path);
  std::string key;
  for (const ListedRun& other : list.runs) {
    if (!folder.empty() && runs::FolderOfCaptures(other.run.path) == folder)
      key += JoinedKey({other.id, other.version});
  }
  return key;
}

// The versions of the runs that the answer compares with.
std::string KeyOfOthers(Directory& directory, const Parameters& parameters) {
  std::string key;
  for (const std::string& other : parameters.All("with")) {
    const auto listed = directory.Find(other);
    if (listed) key += "|" + listed->version + KeyOfFolder(*directory.List(), *listed);
  }
  return key;
}

struct Count {
  explicit Count(std::atomic<int>& counter) : counter_(counter), at_(++counter) {}
  ~Count() { --counter_; }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;
  std::atomic<int>& counter_;
  int at_;
};

}  // namespace

Routes::Routes(std::string directory, size_t memory)
    : directory_(std::move(directory)),
      store_(memory, HeldMemory, [this] { return replies_.DropHalf(); }),
      replies_(kReplyBudget),
      summaries_(kSummaryBudget) {}

Reply Routes::operator()(const Request& request) {
  const Count count(at_work_);
  if (count.at_ > kMostAtWork) {
    Reply reply =
        ErrorReply(kBusy, {ErrorKind::kUnreadable, "too many requests wait already.", "Try again."});
    reply.retry_after_s = 1;
    return reply;
  }
  constexpr std::string_view kApi = "/api";
  if (request.path == kApi || request.path.starts_with("/api/")) {
    return Api(request, std::string_view(request.path).substr(kApi.size()));
  }
  return AssetReply(request);
}

void Routes::Prepare(const std::string& id) {
  const auto ask = [&](const char* what, std::multimap<std::string, std::string> parameters = {}) {
    const AheadTurn turn;
    (*this)({.path = fmt::format("/api/runs/{}/{}", id, what),
             .parameters = std::move(parameters),
             .accept_encoding = std::string(kBrowsers)});
  };
  try {
    for (const char* what : {"overview", "steps", "idle", "info"}) ask(what);
    ask("roofline", {{"table", "step"}});
    GiveWay(kNiceAhead);  // the browser draws now
    ask("doctor", {{"verbose", "1"}});
    ask("tracks");
  } catch (const std::exception&) {
    return;  // the page asks again, and hears of it
  }
}

Reply Routes::Api(const Request& request, std::string_view rest) {
  const Parameters parameters(request);
  constexpr std::string_view kRuns = "/runs";
  if (rest == kRuns) {
    if (auto allowed = parameters.Allow({}); !allowed) return ErrorReply(allowed.error());
    return List();
  }
  if (!rest.starts_with("/runs/")) return NotFound("there is no such address.", "docs/http.md lists them.");
  rest.remove_prefix(kRuns.size() + 1);
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return OfRun(request, std::string(rest), "");
  return OfRun(request, std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1)));
}

Reply Routes::List() {
  const std::shared_ptr<const RunList> list = directory_.List();
  store_.Forget(*list);
  report::JsonWriter json;
  json.Object().Field("directory", list->directory).Field("version", GAIT_VERSION).Key("runs").Array();
  std::string states;
  for (const ListedRun& run : list->runs) {
    const RunState state = store_.Progress(run).state;
    states += std::to_string(static_cast<int>(state));
    json.Raw(RunJson(run, state));
  }
  json.EndArray().Key("notes").Array();
  for (const std::string& note : list->notes) json.Value(note);
  json.EndArray().Key("empty");
  if (list->empty) {
    json.Raw(ErrorJson(*list->empty));
  } else {
    json.Null();
  }
  json.EndObject();
  Reply reply = JsonReply(std::move(json).TakeLine());
  reply.caching = Caching::kRevalidate;
  reply.etag = HashText(list->version + states);
  return reply;
}

Reply Routes::Together(const std::string& what, std::shared_ptr<OpenRun> first,
                       const Parameters& parameters) {
  constexpr size_t kMostRuns = 64;
  std::vector<std::shared_ptr<OpenRun>> runs = {std::move(first)};
  const std::vector<std::string> others = parameters.All("with");
  if (others.empty() || others.size() >= kMostRuns) {
    return ErrorReply({ErrorKind::kUsage, "with what?", "Give with=ID, once or several times."});
  }
  for (const std::string& id : others) {
    const std::shared_ptr<const ListedRun> other = directory_.Find(id);
    if (other == nullptr)
      return NotFound(fmt::format("there is no run '{}'.", id), "GET /api/runs lists them.");
    Result<std::shared_ptr<OpenRun>> open = store_.Open(*other, parameters.gone());
    if (!open) return ErrorReply(open.error());
    runs.push_back(std::move(*open));
  }
  return what == "scale" ? ScaleReply(runs, parameters) : DiffReply(runs, parameters);
}

Reply Routes::Answer(const ListedRun& run, const std::string& what, const Parameters& parameters) {
  if (what == "heap") return HeapReply(run, parameters);
  Result<std::shared_ptr<OpenRun>> open = store_.Open(run, parameters.gone());
  if (!open) return ErrorReply(open.error());
  if (parameters.gone().stop_requested()) return GoneReply();
  if (what == "summary") return SummaryReply(**open, run.id);
  if (what == "diff" || what == "scale") return Together(what, *open, parameters);
  if (std::optional<Reply> timeline = TimelineReply(**open, what, parameters)) return *timeline;
  return VerbReply(**open, what, parameters);
}

Reply Routes::OfRun(const Request& request, const std::string& id, const std::string& what) {
  const std::shared_ptr<const ListedRun> run = directory_.Find(id);
  if (run == nullptr) {
    if (directory_.Knew(id)) {
      store_.Forget(*directory_.List());
      return ErrorReply(kGone, {ErrorKind::kUnreadable, "the run is not there any more.",
                                "It was deleted or moved; the list of runs has what there is."});
    }
    return NotFound(fmt::format("there is no run '{}'.", id), "GET /api/runs lists them.");
  }
  const Parameters parameters(request);
  if (what.empty()) {
    if (auto allowed = parameters.Allow({}); !allowed) return ErrorReply(allowed.error());
    return JsonReply(RunJson(*run, store_.Progress(*run).state) + "\n");
  }
  if (!IsQuestion(what)) {
    return NotFound(fmt::format("there is no question '{}' about a run.", what), "docs/http.md lists them.");
  }
  if (what == "load") return LoadReply(store_, run, parameters);
  if (what == "files") return FilesReply(*run);

  const std::string folder = LooksBeside(what) ? KeyOfFolder(*directory_.List(), *run) : std::string();
  const std::string key = KeyOf(*run, request) + "|" + folder + KeyOfOthers(directory_, parameters);
  const std::string etag = HashText(key + GAIT_VERSION);
  // The derived tracks come later: that answer changes once.
  const bool settled = what != "tracks" || parameters.Text("derived") == "1";
  Reply reply;
  if (settled && request.if_none_match == "\"" + etag + "\"") {
    reply.etag = etag;  // what the browser has is good: nothing is read for it
  } else {
    const Encoding encoding = ChooseEncoding(request.accept_encoding);
    // Several may wait for one answer: `gone` is of all of them.
    const auto make = [&](const std::stop_token& gone) -> Reply {
      Request asked = request;
      asked.gone = gone;
      Reply made = Answer(*run, what, Parameters(asked));
      return gone.stop_requested() ? GoneReply() : made;  // it may not be whole
    };
    const auto packed = [&](const std::stop_token& gone) {
      Reply made = make(gone);
      CompressReply(made, encoding);
      return made;
    };
    const std::string encoded = key + "|" + std::string(Name(encoding));
    if (what == "summary") {
      reply = summaries_.Get(encoded, request.gone, packed);
    } else if (what == "tile" || !settled) {
      reply = make(request.gone);  // as many as there are places to look at; the browser keeps them
    } else {
      reply = replies_.Get(encoded, request.gone, packed);
    }
    store_.Trim();
    if (reply.status != 200) return reply;
    if (settled) reply.etag = etag;
  }
  // The address names neither the version of the run that this one is compared with, nor captures beside it.
  const bool of_one = !parameters.Has("with") && folder.empty();
  const bool pinned = settled && of_one && id == run->id && parameters.Text("v") == run->version;
  reply.caching = !settled ? Caching::kNone : pinned ? Caching::kImmutable : Caching::kRevalidate;
  return reply;
}

}  // namespace gait::serve
