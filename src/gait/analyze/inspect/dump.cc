#include "gait/analyze/inspect/dump.h"

#include <algorithm>
#include <map>
#include <queue>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/arguments.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/run_clock.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"
#include "gait/trace/scope_path.h"

namespace gait::analyze {
namespace {

struct Event {
  const LoadedHost& host;
  const Track& track;
  EventRef ref;
  ArgSetId args;
  std::optional<Ps> begin{};  // on the clock of the run
  std::string_view scope{};   // of the instruction
  Attribution attribution = host.trace.attribution(args);

  const Trace& trace() const { return host.trace; }
};

// The HLO instruction that the event executes, found by the reader also inside CUDA graphs.
TextCell InstructionOf(const Event& event) {
  const InstructionRef ref = event.attribution.instruction;
  const Instruction* instruction = ref.valid() ? event.trace().instruction(ref) : nullptr;
  if (instruction == nullptr) return Unknown{"executes no known instruction"};
  return event.trace().programs()[ref.program.value].text(instruction->name);
}

// Merges the tracks of all hosts by time.
class EventStream {
 public:
  EventStream(std::shared_ptr<const LoadedRun> run, std::vector<EventSelection> selections, uint64_t rows)
      : run_(std::move(run)), selections_(std::move(selections)), left_(rows), scopes_(run_->hosts.size()) {
    for (uint32_t host = 0; host < selections_.size(); ++host) {
      for (const TrackId track : selections_[host].tracks()) Push(host, track, 0);
    }
  }

  std::optional<Event> operator()() {
    if (left_ == 0 || heads_.empty()) return std::nullopt;
    --left_;
    const Head head = heads_.top();
    heads_.pop();
    Push(head.host, head.track, head.index + 1);
    const Track& track = trace(head.host).track(head.track);
    const EventIndex index(head.index);
    Event event{run_->hosts[head.host], track, {head.track, index}, track.args(index)};
    if (!head.timeless) event.begin = head.begin;
    event.scope = Scope(head.host, event.attribution);
    return event;
  }

 private:
  struct Head {
    bool timeless;  // sums without a time come last
    Ps begin;       // on the clock of the run
    uint32_t host;
    TrackId track;
    uint32_t index;
    friend auto operator<=>(const Head&, const Head&) = default;
  };

  const Trace& trace(uint32_t host) const { return run_->hosts[host].trace; }

  void Push(uint32_t host, TrackId id, uint32_t from) {
    const Track& track = trace(host).track(id);
    const uint32_t at = selections_[host].Next(track, from);
    if (at >= track.size()) return;
    const std::optional<Ps> begin = selections_[host].Begin(track, EventIndex(at));
    heads_.push({!begin, begin.value_or(Ps()), host, id, at});
  }

  // Looked up once per instruction: the search for a fusion's scope may be long.
  std::string_view Scope(uint32_t host, const Attribution& attribution) {
    const InstructionRef ref = attribution.instruction;
    if (!ref.valid() || trace(host).instruction(ref) == nullptr) return {};
    const Program& program = trace(host).programs()[ref.program.value];
    const auto [found, added] = scopes_[host].try_emplace(ref);
    if (added) found->second = ScopePath(program, ref.instruction);
    return program.text(found->second);
  }

  std::shared_ptr<const LoadedRun> run_;
  std::vector<EventSelection> selections_;
  uint64_t left_;
  std::vector<std::map<InstructionRef, StringId>> scopes_;  // by host
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

TableOf<Event> EventColumns(const LoadedRun& run) {
  const bool has_programs = std::any_of(run.hosts.begin(), run.hosts.end(), [](const LoadedHost& host) {
    return !host.trace.programs().empty();
  });
  TableOf<Event> t({.name = "events", .title = "time", .if_empty = "no event is like that"});
  t.Add("begin", {.scale = "ms", .decimals = 6}, "since the capture began",
        Known(&Event::begin, "sums over the capture have no time"));
  t.Add("duration", {.scale = "µs", .decimals = 3},
        "how long it lasted; of counted events all of them together",
        [](const Event& e) { return e.track.duration(e.ref.index); });
  t.Add("track", {.elastic = true}, "as --track takes it",
        [](const Event& e) { return TrackLabel(e.trace(), e.track); });
  t.Add("name", {.elastic = true}, "of the event", [](const Event& e) {
    return TextCell(e.trace().name(e.ref)).ShownAs(std::string(DisplayName(e.trace(), e.args)));
  });
  t.Add("arguments", {.below = true}, "all that was recorded with it",
        [](const Event& e) { return ArgumentsCell(e.trace(), e.ref); });
  t.Add("host", {.hidden = run.hosts.size() == 1}, "the machine", [](const Event& e) { return e.host.name; });
  t.Hidden("plane", "its plane in the file",
           [](const Event& e) { return e.trace().text(e.trace().plane(e.track.info().plane).name); });
  t.Add("track_id", {.hidden = true, .identifier = true}, "its line's number",
        [](const Event& e) { return e.track.info().id; });
  t.Hidden("depth", "events around it on its track",
           [](const Event& e) { return e.track.depth(e.ref.index); });
  t.Add("instruction", {.hidden = !has_programs, .elastic = true}, "that it executes", InstructionOf);
  t.Hidden("scope", "of that instruction in the model",
           [](const Event& e) { return OrUnknown(std::string(e.scope), ""); });
  t.Hidden("attribution", "how the instruction was found, or why not",
           [](const Event& e) { return Name(e.attribution.kind); });
  return t;
}

std::string AnswerText(uint64_t shown, uint64_t matching, uint64_t all) {
  if (shown < matching && matching < all) {
    return fmt::format("{} of {} that match, of {} in all.", report::CountText(shown),
                       report::Plural(matching, "event"), report::CountText(all));
  }
  if (shown < all) return fmt::format("{} of {}.", report::CountText(shown), report::Plural(all, "event"));
  return fmt::format("{}{}.", all > 1 ? "All " : "", report::Plural(all, "event"));
}

}  // namespace

Result<void> CheckOptions(const DumpOptions& options) {
  if (options.from && options.to && *options.to <= *options.from) {
    return UsageError("--to is not after --from.", "Give a window such as --from 1ms --to 2ms.");
  }
  GAIT_CHECK_OK(Pattern::Compile(options.name));
  return {};
}

Result<report::Document> DumpDocument(std::shared_ptr<const LoadedRun> run, const DumpOptions& options) {
  GAIT_CHECK_OK(CheckOptions(options));
  GAIT_TRY(const Pattern name, Pattern::Compile(options.name));
  GAIT_TRY(std::vector<std::vector<TrackId>> tracks, WantedTracks(*run, options.track));

  uint64_t all = 0;
  uint64_t matching = 0;
  std::vector<EventSelection> selections;
  for (size_t i = 0; i < run->hosts.size(); ++i) {
    const Trace& trace = run->hosts[i].trace;
    all += trace.event_count();
    for (const TrackId id : tracks[i]) {
      if (trace.track(id).info().derived) all += trace.track(id).size();  // not counted as events of the file
    }
    selections.emplace_back(trace, options, name, std::move(tracks[i]));
    matching += selections.back().Count();
  }
  const uint64_t shown = options.limit == 0 ? matching : std::min(options.limit, matching);

  report::Document document = NewDocument("dump", *run);
  document.whole = true;
  document.answer = AnswerText(shown, matching, all);
  if (const std::vector<std::string> apart = HostsOnOwnClock(*run); !apart.empty()) {
    document.notes.push_back(
        fmt::format("no start time in {}: times there are on a clock of their own", fmt::join(apart, ", ")));
  }
  if (shown < matching) {
    document.notes.push_back(
        fmt::format("{} more; --limit 0 shows all", report::Plural(matching - shown, "event")));
  }
  TableOf<Event> columns = EventColumns(*run);
  document.tables.push_back(columns.From(EventStream(std::move(run), std::move(selections), shown), shown));
  return document;
}

}  // namespace gait::analyze
