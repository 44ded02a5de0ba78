#include "gait/timeline/area.h"

#include <algorithm>
#include <map>
#include <set>

#include "gait/analyze/run/describe.h"
#include "gait/base/thread_pool.h"
#include "gait/timeline/reach.h"

namespace gait::timeline {
namespace {

struct Sum {
  Ps total;
  Ps self;
  std::vector<Ps> durations;
};

// By name id.
std::map<uint32_t, Sum> SumTrack(const TimelineTrack& track, Interval window) {
  const Track& events = track.events();
  const std::vector<EventIndex> slices = Reaching(track, window);
  std::map<uint32_t, Sum> sums;
  std::vector<Sum*> of;
  of.reserve(slices.size());
  for (const EventIndex e : slices) {
    Sum& sum = sums[track.names[e.value]];
    of.push_back(&sum);
    const Interval slice = events.interval(e);
    sum.durations.push_back(slice.length());
    const Ps inside = std::min(slice.end, window.end) - std::max(slice.begin, window.begin);
    sum.total = analyze::SaturatedSum(sum.total, std::max(inside, Ps()));
  }
  ForEachSelfPart(events, slices, window, [&](size_t i, Interval part) { of[i]->self += part.length(); });
  return sums;
}

std::string LabelOf(const Book& book, uint32_t id, AreaBy by) {
  switch (by) {
    case AreaBy::kName:
      return std::string(book.names[id]->text());
    case AreaBy::kOperation:
      return book.details[id].operation;
    case AreaBy::kScope:
      return book.details[id].scope;
    case AreaBy::kCategory:
      return std::string(book.details[id].category);
  }
  return {};
}

std::vector<uint32_t> TracksOf(const Book& book, const AreaQuery& query) {
  std::vector<uint32_t> tracks;
  for (const TimelineTrack* track : book.tracks) {
    const bool wanted =
        query.tracks.empty() ? !track->derived : std::ranges::count(query.tracks, track->id) > 0;
    if (wanted && !track->counter) tracks.push_back(track->id);
  }
  return tracks;
}

// The causes of a device's idle time inside the window, from the derived track.
analyze::TimeByCause CausesOf(const Book& book, uint32_t group, Interval window, Ps idle) {
  analyze::TimeByCause by{};
  Ps known;
  for (const TimelineTrack* track : book.tracks) {
    if (track->group != group || track->type != "idle" || !track->derived) continue;
    for (const EventIndex e : Reaching(*track, window)) {
      const Interval gap = track->events().interval(e);
      const Ps inside = std::min(gap.end, window.end) - std::max(gap.begin, window.begin);
      const auto name = track->trace->String({track->track, e}, "cause");
      const auto cause = name ? analyze::FindIdleCause(*name) : std::nullopt;
      by[Index(cause.value_or(analyze::IdleCause::kUnknown))] += inside;
      known += inside;
    }
  }
  by[Index(analyze::IdleCause::kUnknown)] += idle - known;
  return by;
}

}  // namespace

std::optional<AreaBy> ParseAreaBy(std::string_view name) {
  if (name.empty() || name == "name") return AreaBy::kName;
  if (name == "operation") return AreaBy::kOperation;
  if (name == "scope") return AreaBy::kScope;
  if (name == "category") return AreaBy::kCategory;
  return std::nullopt;
}

Area FindArea(const Book& book, const Timeline& timeline, const analyze::RunView& view,
              const AreaQuery& query) {
  const std::vector<uint32_t> tracks = TracksOf(book, query);
  std::vector<std::map<uint32_t, Sum>> parts(tracks.size());
  ForEach(tracks.size(), DefaultThreads(), [&](size_t t) {
    const TimelineTrack& track = *book.tracks[tracks[t]];
    if (!query.stop.stop_requested()) parts[t] = SumTrack(track, query.window);
  });
  if (query.stop.stop_requested()) return {};
  struct GroupSum {
    Sum sum;
    uint32_t id = kNoName;
    Ps most;  // self time of that id
  };
  std::map<std::pair<std::string, bool>, GroupSum> groups;
  for (size_t t = 0; t < parts.size(); ++t) {
    const bool on_device = timeline.groups[book.tracks[tracks[t]]->group].kind == GroupKind::kDevice;
    for (auto& [id, sum] : parts[t]) {
      GroupSum& group = groups[{LabelOf(book, id, query.by), on_device}];
      if (group.id == kNoName || sum.self > group.most) {
        group.id = id;
        group.most = sum.self;
      }
      group.sum.total = analyze::SaturatedSum(group.sum.total, sum.total);
      group.sum.self += sum.self;
      group.sum.durations.insert(group.sum.durations.end(), sum.durations.begin(), sum.durations.end());
      sum.durations = {};
    }
  }
  Area area;
  for (auto& [key, group] : groups) {
    const auto& [label, on_device] = key;
    const uint64_t count = group.sum.durations.size();
    const NameDetails& details = book.details[group.id];
    area.rows.push_back({label, group.id, std::string(details.category), details.scope, on_device, count,
                         group.sum.total, group.sum.self, analyze::StatisticsOf(group.sum.durations)});
  }
  std::ranges::stable_sort(area.rows, std::ranges::greater(), &AreaRow::self);

  std::set<uint32_t> wanted;
  for (const uint32_t t : tracks) wanted.insert(book.tracks[t]->group);
  for (size_t h = 0; h < view.hosts.size(); ++h) {
    const analyze::HostView& host = view.hosts[h];
    const Interval captured = host.trace().span();
    const Interval window{std::max(query.window.begin, captured.begin),
                          std::min(query.window.end, captured.end)};
    bool any = false;
    for (size_t d = 0; d < host.devices.size(); ++d) {
      const uint32_t group = timeline.GroupOf(h, host.devices[d].plane);
      if (!wanted.contains(group)) continue;
      any = true;
      if (window.empty()) break;
      const analyze::Partition time = host.times[d].Split(window);
      area.devices.push_back(
          {host.devices[d].name, host.host->name, time, CausesOf(book, group, window, time.idle)});
    }
    if (any && window != query.window) {
      area.partly.push_back({host.host->name, window.empty() ? Ps() : window.length()});
    }
  }
  return area;
}

}  // namespace gait::timeline
