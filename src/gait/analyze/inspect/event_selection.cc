#include "gait/analyze/inspect/event_selection.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"

namespace gait::analyze {
namespace {

// Every form in which a person may know the track.
std::array<std::string, 4> Names(const Trace& trace, const Track& track) {
  const std::string name(trace.text(track.info().name));
  const std::string plane(trace.text(trace.plane(track.info().plane).name));
  return {TrackLabel(trace, track), TrackName(trace, track), name, plane + " " + name};
}

bool IsExactly(const Trace& trace, const Track& track, const std::string& wanted) {
  const auto names = Names(trace, track);
  return std::to_string(track.info().id) == wanted || std::ranges::find(names, wanted) != names.end();
}

template <typename Predicate>
std::vector<std::vector<TrackId>> TracksWhere(const LoadedRun& run, Predicate&& wanted) {
  std::vector<std::vector<TrackId>> found;
  for (const LoadedHost& host : run.hosts) {
    std::vector<TrackId>& of_host = found.emplace_back();
    for (size_t t = 0; t < host.trace.tracks().size(); ++t) {
      if (wanted(host.trace, host.trace.tracks()[t])) of_host.push_back(TrackId(t));
    }
  }
  return found;
}

bool Any(const std::vector<std::vector<TrackId>>& tracks) {
  return std::ranges::any_of(tracks, [](const auto& of_host) { return !of_host.empty(); });
}

}  // namespace

EventSelection::EventSelection(const Trace& trace, const DumpOptions& options, const Pattern& name,
                               std::vector<TrackId> tracks)
    : trace_(trace),
      from_(options.from),
      to_(options.to),
      every_name_(options.name.empty()),
      name_(name),
      by_name_(every_name_ ? 0 : trace.strings().size(), Match::kUntried),
      by_args_(every_name_ ? 0 : trace.arg_sets().size(), Match::kUntried),
      tracks_(std::move(tracks)) {}

std::optional<Ps> EventSelection::Begin(const Track& track, EventIndex event) const {
  if (track.info().kind == TrackKind::kAggregated) return std::nullopt;
  return track.begin(event);
}

bool EventSelection::InWindow(const Track& track, EventIndex event) const {
  if (!from_ && !to_) return true;
  const std::optional<Ps> begin = Begin(track, event);
  if (!begin || (to_ && *begin >= *to_)) return false;
  return !from_ || *begin >= *from_ || *begin + track.duration(event) > *from_;
}

bool EventSelection::Wanted(const Track& track, EventIndex event) {
  if (every_name_) return true;
  const auto known = [](Match& match, auto&& matches) {
    if (match == Match::kUntried) match = matches() ? Match::kYes : Match::kNo;
    return match == Match::kYes;
  };
  const StringId name = track.name(event);
  const ArgSetId args = track.args(event);
  return (name.value < by_name_.size() &&
          known(
              by_name_[name.value], [&] { return name_.Matches(std::string(trace_.text(name))); })) ||
         (args.value < by_args_.size() && known(
                                              by_args_[args.value],
                                              [&] {
                                                const std::string_view shown = DisplayName(trace_, args);
                                                return !shown.empty() && name_.Matches(std::string(shown));
                                              }));
}

uint32_t EventSelection::Next(const Track& track, uint32_t at) {
  const auto size = static_cast<uint32_t>(track.size());
  for (; at < size; ++at) {
    const EventIndex event(at);
    // Events are in order of begin: none follows that begins before the end of the window.
    if (const auto begin = Begin(track, event); to_ && begin && *begin >= *to_) return size;
    if (InWindow(track, event) && Wanted(track, event)) return at;
  }
  return size;
}

uint64_t EventSelection::Count() {
  uint64_t count = 0;
  for (const TrackId id : tracks_) {
    const Track& track = trace_.track(id);
    for (uint32_t at = Next(track, 0); at < track.size(); at = Next(track, at + 1)) ++count;
  }
  return count;
}

std::string_view DisplayName(const Trace& trace, ArgSetId args) {
  const auto value = trace.FindArg(args, "display_name");
  return value && value->type == ArgType::kString ? trace.text(value->string()) : std::string_view();
}

Result<std::vector<std::vector<TrackId>>> WantedTracks(const LoadedRun& run, const std::string& wanted) {
  if (wanted.empty()) {
    // Derived tracks repeat events of others: shown only when asked for.
    return TracksWhere(run, [](const Trace&, const Track& track) { return !track.info().derived; });
  }
  auto exact = TracksWhere(
      run, [&](const Trace& trace, const Track& track) { return IsExactly(trace, track, wanted); });
  if (Any(exact)) return exact;
  // Only now: names like "Stream #14(Compute" are no expressions.
  GAIT_TRY(const Pattern pattern, Pattern::Compile(wanted));
  auto matching = TracksWhere(run, [&](const Trace& trace, const Track& track) {
    return std::ranges::any_of(Names(trace, track),
                               [&](const std::string& name) { return pattern.Matches(name); });
  });
  if (Any(matching)) return matching;
  return UsageError(fmt::format("no track matches '{}'.", wanted),
                    "List the tracks with: " + Command("info", run));
}

}  // namespace gait::analyze
