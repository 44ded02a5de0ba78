#include "gait/analyze/dump.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <queue>
#include <vector>

#include <fmt/format.h>

#include "gait/analyze/describe.h"
#include "gait/analyze/pattern.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

using report::Type;
namespace unit = report::unit;

std::optional<int64_t> ParseId(const std::string& text) {
  int64_t id = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, id);
  return error == std::errc() && parsed == end && !text.empty() ? std::optional(id) : std::nullopt;
}

// What to show of one host. Names are interned, so each is matched once.
class Selection {
 public:
  Selection(const Trace& trace, const DumpOptions& options, const Pattern& track, const Pattern& name)
      : trace_(trace),
        window_{options.from.value_or(-kMaxTime), options.to.value_or(kMaxTime)},
        match_(options.name.empty() ? 0 : trace.strings().size(), Match::kUntried),
        name_(name) {
    const std::optional<int64_t> id = ParseId(options.track);
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      const Track& candidate = trace.tracks()[t];
      const bool wanted =
          options.track.empty() || (id && candidate.info().id == *id) ||
          TrackName(trace, candidate) == options.track ||
          (!id && track.Matches(TrackLabel(trace, candidate))) ||
          (!id && track.Matches(std::string(trace.text(trace.plane(candidate.info().plane).name)) + " " +
                                std::string(trace.text(candidate.info().name))));
      // Derived tracks repeat events of others: shown only when asked for.
      if (wanted && (!candidate.info().derived || !options.track.empty())) tracks_.push_back(TrackId(t));
    }
  }

  const std::vector<TrackId>& tracks() const { return tracks_; }

  // The first wanted event of a track from `at` on; the track's size when there is none.
  uint32_t Next(const Track& track, uint32_t at) {
    const auto size = static_cast<uint32_t>(track.size());
    for (; at < size; ++at) {
      const EventIndex event(at);
      if (track.begin(event) >= window_.end) return size;
      const Interval interval = track.interval(event);
      const bool inside =
          interval.end > window_.begin || interval.begin >= window_.begin;  // also without a duration
      if (inside && Wanted(track.name(event))) return at;
    }
    return size;
  }

  uint64_t Count() {
    uint64_t count = 0;
    for (const TrackId id : tracks_) {
      const Track& track = trace_.track(id);
      for (uint32_t at = Next(track, 0); at < track.size(); at = Next(track, at + 1)) ++count;
    }
    return count;
  }

 private:
  enum class Match : uint8_t { kUntried, kYes, kNo };

  bool Wanted(StringId name) {
    if (match_.empty()) return true;
    if (name.value >= match_.size()) return false;
    Match& match = match_[name.value];
    if (match == Match::kUntried)
      match = name_.Matches(std::string(trace_.text(name))) ? Match::kYes : Match::kNo;
    return match == Match::kYes;
  }

  const Trace& trace_;
  Interval window_;
  std::vector<Match> match_;  // by StringId; empty: every name is wanted
  Pattern name_;
  std::vector<TrackId> tracks_;
};

// Merges the tracks of each host by time; hosts come one after the other, for their clocks differ.
class EventStream {
 public:
  EventStream(std::shared_ptr<const LoadedRun> run, std::vector<Selection> selections, uint64_t limit)
      : run_(std::move(run)), selections_(std::move(selections)), left_(limit) {}

  bool operator()(report::Row& row) {
    while (left_ > 0 && host_ < selections_.size()) {
      if (!opened_) Open();
      if (heads_.empty()) {
        ++host_;
        opened_ = false;
        continue;
      }
      const Head head = heads_.top();
      heads_.pop();
      Push(head.track, head.index + 1);
      --left_;
      Fill(row, {head.track, EventIndex(head.index)});
      return true;
    }
    return false;
  }

 private:
  struct Head {
    Ps begin;
    TrackId track;
    uint32_t index;
    friend auto operator<=>(const Head&, const Head&) = default;
  };

  const Trace& trace() const { return run_->hosts[host_].trace; }

  void Open() {
    opened_ = true;
    for (const TrackId track : selections_[host_].tracks()) Push(track, 0);
  }

  void Push(TrackId id, uint32_t from) {
    const Track& track = trace().track(id);
    const uint32_t at = selections_[host_].Next(track, from);
    if (at < track.size()) heads_.push({track.begin(EventIndex(at)), id, at});
  }

  void Fill(report::Row& row, EventRef event) const {
    const Track& track = trace().track(event.track);
    std::string args;
    trace().ForEachArg(event, [&](StringId key, ArgValue value) {
      if (!args.empty()) args += ' ';
      args.append(trace().text(key)).append("=").append(ValueText(trace(), value));
    });
    row = {track.begin(event.index),
           track.duration(event.index),
           TrackLabel(trace(), track),
           trace().name(event),
           std::move(args),
           run_->hosts[host_].name,
           trace().text(trace().plane(track.info().plane).name),
           track.info().id,
           static_cast<int64_t>(track.depth(event.index)),
           InstructionName(track.args(event.index))};
  }

  // The HLO instruction that the event executes, found by the reader also inside CUDA graphs.
  report::Cell InstructionName(ArgSetId args) const {
    const Attribution attribution = trace().attribution(args);
    const Instruction* instruction =
        attribution.instruction.valid() ? trace().instruction(attribution.instruction) : nullptr;
    if (instruction == nullptr) return report::Unknown{"executes no known instruction"};
    return trace().programs()[attribution.instruction.program.value].text(instruction->name);
  }

  std::shared_ptr<const LoadedRun> run_;
  std::vector<Selection> selections_;
  uint64_t left_;
  size_t host_ = 0;
  bool opened_ = false;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

report::Table EventsTable(const LoadedRun& run) {
  return {"events",
          "time",
          {{"begin", Type::kInteger, unit::kPs, {.scale = "ms", .decimals = 6}},
           {"duration", Type::kInteger, unit::kPs, {.scale = "µs", .decimals = 3}},
           {"track", Type::kText, unit::kNone, {.elastic = true}},
           {"name", Type::kText, unit::kNone, {.elastic = true}},
           {"arguments", Type::kText, unit::kNone, {.elastic = true}},
           {"host", Type::kText, unit::kNone, {.hidden = run.hosts.size() == 1}},
           {"plane", Type::kText, unit::kNone, {.hidden = true}},
           {"track_id", Type::kInteger, unit::kNone, {.hidden = true, .identifier = true}},
           {"depth", Type::kInteger, unit::kNone, {.hidden = true}},
           {"instruction", Type::kText, unit::kNone, {.hidden = true}}},
          {}};
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
  // A track may be given by its very name, and names like "Stream #14(Compute" are no expressions.
  auto track_pattern = Pattern::Compile(options.track);
  GAIT_TRY(const Pattern everything, Pattern::Compile("$^"));
  const Pattern track = track_pattern.value_or(everything);

  uint64_t all = 0;
  uint64_t matching = 0;
  size_t tracks = 0;
  std::vector<Selection> selections;
  for (const LoadedHost& host : run->hosts) {
    selections.emplace_back(host.trace, options, track, name);
    matching += selections.back().Count();
    tracks += selections.back().tracks().size();
    all += host.trace.event_count();
  }
  if (tracks == 0 && !options.track.empty()) {
    if (!track_pattern) return std::unexpected(track_pattern.error());
    return UsageError(fmt::format("no track matches '{}'.", options.track),
                      "List the tracks with: " + Command("info", *run));
  }

  report::Document document = NewDocument("dump", *run);
  document.answer = matching == all
                        ? fmt::format("All {}.", report::Plural(all, "event"))
                        : fmt::format("{} of {}.", report::CountText(matching), report::Plural(all, "event"));
  document.tables.push_back(EventsTable(*run));
  document.tables[0].if_empty = "no event is like that";
  const uint64_t limit = options.limit == 0 ? std::numeric_limits<uint64_t>::max() : options.limit;
  if (matching > limit) {
    document.notes.push_back(
        fmt::format("{} more; --limit 0 shows all", report::Plural(matching - limit, "event")));
  }
  document.tables[0].more = EventStream(std::move(run), std::move(selections), limit);
  return document;
}

}  // namespace gait::analyze
