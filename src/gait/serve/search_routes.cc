// Searching the timeline, and summing up a part of it.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "gait/report/json_writer.h"
#include "gait/serve/slice_json.h"
#include "gait/serve/timeline_reply.h"
#include "gait/serve/verb_reply.h"
#include "gait/timeline/area.h"
#include "gait/timeline/flame.h"
#include "gait/timeline/search.h"

namespace gait::serve {
namespace {

using timeline::SliceRef;

constexpr int64_t kLatest = std::numeric_limits<int64_t>::max() / 4;

Result<std::optional<Ps>> Time(const Parameters& parameters, const std::string& name) {
  GAIT_TRY(const std::optional<int64_t> value, parameters.Integer(name, -kLatest, kLatest));
  return value ? std::optional(Ps(*value)) : std::nullopt;
}

Result<timeline::SearchQuery> QueryOf(OpenRun& run, const Parameters& parameters) {
  timeline::SearchQuery query;
  query.stop = parameters.gone();
  query.text = parameters.Text("q");
  const std::string in = parameters.Text("in");
  if (in == "names") {
    query.in = timeline::SearchIn::kNames;
  } else if (in == "args") {
    query.in = timeline::SearchIn::kArguments;
  } else if (!in.empty() && in != "all") {
    return UsageError("in is names, args or all.");
  }
  GAIT_TRY(const std::optional<int64_t> id, parameters.Integer("name_id", 0, 0xffffffff));
  if (id) query.name_ids = {static_cast<uint32_t>(*id)};
  if (query.text.empty() && !id) return UsageError("what is to be looked for?", "Give q or name_id.");
  GAIT_TRY(query.tracks, TrackNumbers(run, parameters.Text("track")));
  if (parameters.Has("like")) {
    if (parameters.Has("track")) return UsageError("track and like exclude each other.");
    GAIT_TRY(const timeline::TimelineTrack* like, run.FindTrack(parameters.Text("like")));
    for (const timeline::TimelineTrack* track : run.book().tracks) {
      if (timeline::AreAlike(*like, *track)) query.tracks.push_back(track->id);
    }
    if (query.tracks.empty()) return UsageError("a counter has no slices.");
  }
  GAIT_TRY(query.least, Time(parameters, "min"));
  GAIT_TRY(query.most, Time(parameters, "max"));
  GAIT_TRY(query.from, Time(parameters, "from"));
  GAIT_TRY(query.to, Time(parameters, "to"));
  return query;
}

struct Page {
  size_t offset = 0;
  size_t count = 0;
  bool wrapped = false;
};

// One match before or behind a place, going on at the other end.
Result<Page> Step(const Parameters& parameters, const std::vector<SliceRef>& matches) {
  const std::string direction = parameters.Text("step");
  if (direction != "next" && direction != "previous") return UsageError("step is next or previous.");
  GAIT_TRY(const std::optional<Ps> at, Time(parameters, "at"));
  if (!at) return UsageError("step needs at.");
  const bool next = direction == "next";
  const int64_t most = 0xffffffff;
  GAIT_TRY(const std::optional<int64_t> track, parameters.Integer("at_track", 0, most));
  GAIT_TRY(const std::optional<int64_t> event, parameters.Integer("at_event", 0, most));
  // Without a slice all that begin at the very time are passed over.
  const int64_t unknown = next ? most : 0;
  const SliceRef place{*at, static_cast<uint32_t>(track.value_or(unknown)),
                       static_cast<uint32_t>(event.value_or(unknown))};
  if (matches.empty()) return Page{};
  if (next) {
    const auto found = std::ranges::upper_bound(matches, place);
    if (found == matches.end()) return Page{0, 1, true};
    return Page{static_cast<size_t>(found - matches.begin()), 1, false};
  }
  const auto found = std::ranges::lower_bound(matches, place);
  if (found == matches.begin()) return Page{matches.size() - 1, 1, true};
  return Page{static_cast<size_t>(found - matches.begin()) - 1, 1, false};
}

Result<Page> PageOf(const Parameters& parameters, const std::vector<SliceRef>& matches) {
  constexpr int64_t kUsual = 100;
  constexpr int64_t kMost = 10'000;
  if (parameters.Has("step")) return Step(parameters, matches);
  GAIT_TRY(const std::optional<int64_t> offset, parameters.Integer("offset", 0, kLatest));
  GAIT_TRY(const std::optional<int64_t> limit, parameters.Integer("limit", 0, kMost));
  const size_t first = std::min(static_cast<size_t>(offset.value_or(0)), matches.size());
  return Page{first, std::min(static_cast<size_t>(limit.value_or(kUsual)), matches.size() - first), false};
}

std::string KeyOf(const Parameters& parameters) {
  std::string key;
  for (const char* name : {"q", "in", "name_id", "track", "like", "min", "max", "from", "to"}) {
    key += fmt::format("{}={}|", name, parameters.Text(name));
  }
  return key;
}

}  // namespace

Result<std::vector<uint32_t>> TrackNumbers(OpenRun& run, const std::string& list) {
  constexpr size_t kMost = 10'000;
  std::vector<uint32_t> numbers;
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    GAIT_TRY(const timeline::TimelineTrack* track, run.FindTrack(list.substr(at, comma - at)));
    numbers.push_back(track->id);
    at = comma + 1;
    if (numbers.size() > kMost) return UsageError("too many tracks.");
  }
  return numbers;
}

Result<Reply> SearchReply(OpenRun& run, const Parameters& parameters) {
  constexpr size_t kMostIds = 10'000;
  constexpr size_t kMostNames = 100;
  GAIT_CHECK_OK(parameters.Allow({"q", "in", "track", "like", "name_id", "min", "max", "from", "to", "offset",
                                  "limit", "at", "step", "at_track", "at_event"}));
  GAIT_TRY(const timeline::SearchQuery query, QueryOf(run, parameters));
  GAIT_TRY(const std::shared_ptr<const timeline::SearchResult> result, run.Search(KeyOf(parameters), query));
  GAIT_TRY(const Page page, PageOf(parameters, result->matches));
  const timeline::Book& book = run.book();
  report::JsonWriter json;
  json.Object()
      .Field("q", query.text)
      .Field("total", result->total)
      .Field("time", result->time)
      .Field("capped", result->capped)
      .Key("name_ids")
      .Array();
  for (size_t i = 0; i < std::min(result->name_ids.size(), kMostIds); ++i) json.Value(result->name_ids[i]);
  json.EndArray().Key("names").Array();
  for (size_t i = 0; i < std::min(result->names.size(), kMostNames); ++i) {
    const timeline::NameCount& name = result->names[i];
    json.Object().Field("name", name.name).Field("count", name.count).Field("time", name.time).EndObject();
  }
  json.EndArray().Field("offset", static_cast<uint64_t>(page.offset)).Field("wrapped", page.wrapped);
  json.Key("matches").Array();
  for (size_t i = page.offset; i < page.offset + page.count; ++i) {
    const SliceRef match = result->matches[i];
    const timeline::TimelineTrack& track = *book.tracks[match.track];
    const EventIndex event(match.event);
    json.Object()
        .Field("track", match.track)
        .Field("event", match.event)
        .Field("name", track.trace->name({track.track, event}))
        .Field("name_id", track.names[match.event])
        .Field("begin", match.begin)
        .Field("duration", track.events().duration(event))
        .Key("arg");
    const auto arg = timeline::MatchingArgument(book, match, query.text);
    if (query.name_ids.empty() && arg && *arg) {
      json.Array().Value((*arg)->first).Value((*arg)->second).EndArray();
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return JsonReply(std::move(json).TakeLine());
}

Result<Reply> AreaReply(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(Joined({{"from", "to", "tracks", "by"}, kRowNames})));
  GAIT_TRY(const std::optional<Ps> from, Time(parameters, "from"));
  GAIT_TRY(const std::optional<Ps> to, Time(parameters, "to"));
  if (!from || !to || *to <= *from) return UsageError("an area needs from and to, in that order.");
  timeline::AreaQuery query;
  query.stop = parameters.gone();
  query.window = {*from, *to};
  GAIT_TRY(query.tracks, TrackNumbers(run, parameters.Text("tracks")));
  const std::optional<timeline::AreaBy> by = timeline::ParseAreaBy(parameters.Text("by"));
  if (!by) return UsageError("by is name, operation, scope or category.");
  query.by = *by;
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run.View({}));
  const timeline::Area area = timeline::FindArea(run.book(), run.timeline(), *view, query);
  return DocumentReply(timeline::AreaDocument(area, query, run.run()), parameters);
}

Result<Reply> FlameReply(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(Joined({{"from", "to", "tracks"}, kRowNames})));
  GAIT_TRY(const std::optional<Ps> from, Time(parameters, "from"));
  GAIT_TRY(const std::optional<Ps> to, Time(parameters, "to"));
  timeline::FlameQuery query;
  query.stop = parameters.gone();
  query.window = {from.value_or(run.timeline().span.begin), to.value_or(run.timeline().span.end)};
  GAIT_TRY(query.tracks, TrackNumbers(run, parameters.Text("tracks")));
  if (query.tracks.empty()) return UsageError("a flame graph needs tracks.", "Give tracks=3,4.");
  return DocumentReply(timeline::FlameDocument(run.book(), query, run.run()), parameters);
}

}  // namespace gait::serve
