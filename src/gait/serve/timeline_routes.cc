// Questions about the timeline (docs/http.md).
#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "gait/serve/json_writer.h"
#include "gait/serve/routes.h"
#include "gait/serve/timeline_reply.h"
#include "gait/timeline/tile.h"

namespace gait::serve {
namespace {

using timeline::TimelineTrack;

void TrackJson(JsonWriter& json, const TimelineTrack& track) {
  const Interval span = track.span();
  json.Object()
      .Field("key", track.key)
      .Field("kind", "track")
      .Field("title", track.title)
      .Field("track", track.id)
      .Field("type", track.type)
      .Field("draw", track.counter ? "counter" : "slices")
      .Field("lanes", track.lanes())
      .Field("events", track.size())
      .Key("span")
      .Array()
      .Value(span.begin)
      .Value(span.end)
      .EndArray()
      .Field("derived", track.derived);
  if (track.counter) json.Field("unit", track.unit).Field("high", track.counter->high());
  if (!track.about.empty()) json.Field("about", track.about);
  json.EndObject();
}

class TreeWriter {
 public:
  TreeWriter(JsonWriter& json, const timeline::Timeline& timeline,
             const std::vector<const TimelineTrack*>& tracks)
      : json_(json), timeline_(timeline), children_(timeline.groups.size()), tracks_(timeline.groups.size()) {
    for (uint32_t g = 0; g < timeline.groups.size(); ++g) {
      const uint32_t parent = timeline.groups[g].parent;
      if (parent != timeline::kNoGroup) children_[parent].push_back(g);
    }
    for (const TimelineTrack* track : tracks) tracks_[track->group].push_back(track);
    for (auto& list : tracks_) {
      std::ranges::stable_sort(list, {}, [](const TimelineTrack* track) { return track->order; });
    }
  }

  void Write() {
    json_.Array();
    for (uint32_t g = 0; g < timeline_.groups.size(); ++g) {
      if (timeline_.groups[g].parent == timeline::kNoGroup) Group(g);
    }
    json_.EndArray();
  }

 private:
  void Group(uint32_t g) {
    const timeline::Group& group = timeline_.groups[g];
    json_.Object().Field("key", group.key).Field("kind", Name(group.kind)).Field("title", group.title);
    if (!group.detail.empty()) json_.Field("detail", group.detail);
    json_.Key("children").Array();
    for (const TimelineTrack* track : tracks_[g]) TrackJson(json_, *track);
    for (const uint32_t child : children_[g]) Group(child);
    json_.EndArray().EndObject();
  }

  JsonWriter& json_;
  const timeline::Timeline& timeline_;
  std::vector<std::vector<uint32_t>> children_;
  std::vector<std::vector<const TimelineTrack*>> tracks_;
};

Result<Reply> Tracks(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow({"derived"}));
  GAIT_TRY(const bool wait, parameters.Flag("derived"));
  const timeline::Timeline& timeline = run.timeline();
  const timeline::Derived* derived = run.derived(wait);
  std::vector<const TimelineTrack*> tracks;
  for (const TimelineTrack& track : timeline.captured.tracks) tracks.push_back(&track);
  if (derived != nullptr) {
    for (const TimelineTrack& track : derived->set.tracks) tracks.push_back(&track);
  }
  JsonWriter json;
  json.Object().Key("span").Array().Value(timeline.span.begin).Value(timeline.span.end).EndArray();
  json.Field("names", static_cast<uint64_t>(timeline.captured.names.size() +
                                            (derived != nullptr ? derived->set.names.size() : 0)));
  json.Field("derived", derived != nullptr ? "ready" : "pending").Key("tree");
  TreeWriter(json, timeline, tracks).Write();
  json.EndObject();
  return JsonReply(std::move(json).Take());
}

// A list of texts, each once.
class Pool {
 public:
  int64_t Find(std::string_view text) {
    if (text.empty()) return -1;
    const auto [at, added] = ids_.try_emplace(std::string(text), static_cast<int64_t>(texts_.size()));
    if (added) texts_.emplace_back(text);
    return at->second;
  }
  void Write(JsonWriter& json) const {
    json.Array();
    for (const std::string& text : texts_) json.Value(text);
    json.EndArray();
  }

 private:
  std::map<std::string, int64_t, std::less<>> ids_;
  std::vector<std::string> texts_;
};

Result<Reply> Names(OpenRun& run, const Parameters& parameters) {
  constexpr int64_t kMost = 65'536;
  GAIT_CHECK_OK(parameters.Allow({"from", "count"}));
  GAIT_TRY(const std::optional<int64_t> from, parameters.Integer("from", 0, 0xffffffff));
  GAIT_TRY(const std::optional<int64_t> count, parameters.Integer("count", 0, kMost));
  const size_t total = run.book().names.size();
  const size_t first = std::min(static_cast<size_t>(from.value_or(0)), total);
  const size_t last = std::min(total, first + static_cast<size_t>(count.value_or(kMost)));
  const timeline::Book& book = run.book();
  const std::span<const timeline::NameDetails> details = std::span(book.details).subspan(first, last - first);
  Pool categories;
  Pool scopes;
  JsonWriter json;
  json.Object().Field("from", static_cast<uint64_t>(first)).Field("total", static_cast<uint64_t>(total));
  json.Key("name").Array();
  for (size_t i = first; i < last; ++i) json.Value(book.names[i]->text());
  json.EndArray().Key("category").Array();
  for (const auto& d : details) json.Value(categories.Find(d.category));
  json.EndArray().Key("class").Array();
  for (const auto& d : details) json.Value(static_cast<int>(d.slice_class));
  json.EndArray().Key("scope").Array();
  for (const auto& d : details) json.Value(scopes.Find(d.scope));
  json.EndArray().Key("operation").Array();
  for (const auto& d : details) json.TextOrNull(d.operation);
  json.EndArray().Key("categories");
  categories.Write(json);
  json.Key("classes").Array();
  for (size_t c = 0; c < timeline::kSliceClasses; ++c) json.Value(Name(static_cast<timeline::SliceClass>(c)));
  json.EndArray().Key("scopes");
  scopes.Write(json);
  json.EndObject();
  return JsonReply(std::move(json).Take());
}

Result<timeline::TileRequest> ParseTile(OpenRun& run, const Parameters& parameters) {
  constexpr int64_t kMostCells = 4'000'000;  // of rows times buckets
  int64_t cells = 0;
  timeline::TileRequest request;
  GAIT_TRY(const std::optional<int64_t> level, parameters.Integer("level", 0, timeline::kMaxLevel));
  GAIT_TRY(const std::optional<int64_t> buckets, parameters.Integer("buckets", 1, timeline::kMaxBuckets));
  if (!level || !buckets || !parameters.Has("first")) {
    return UsageError("a tile needs tracks, level, first and buckets.");
  }
  const int64_t most = kMaxTime.value() >> *level;
  GAIT_TRY(const std::optional<int64_t> first, parameters.Integer("first", -most, most));
  request.window = {Ps(*first * (int64_t{1} << *level)), static_cast<int>(*level),
                    static_cast<uint32_t>(*buckets)};
  const std::string list = parameters.Text("tracks");
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    std::string item = list.substr(at, comma - at);
    at = comma + 1;
    const bool merged = item.ends_with('m');
    if (merged) item.pop_back();
    GAIT_TRY(const TimelineTrack* track, run.FindTrack(item));
    request.rows.push_back({track, merged});
    cells += int64_t{merged ? 1 : track->lanes()} * *buckets;
    if (cells > kMostCells) {
      return UsageError("that is more than any screen shows.", "Ask for fewer tracks or buckets at a time.");
    }
  }
  return request;
}

Result<Reply> Tile(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow({"tracks", "level", "first", "buckets"}));
  GAIT_TRY(const timeline::TileRequest request, ParseTile(run, parameters));
  Reply reply = JsonReply(timeline::MakeTile(request));
  reply.content_type = "application/octet-stream";
  return reply;
}

}  // namespace

std::optional<Reply> TimelineReply(OpenRun& run, const std::string& what, const Parameters& parameters) {
  const std::map<std::string_view, Result<Reply> (*)(OpenRun&, const Parameters&)> questions = {
      {"tracks", Tracks},      {"names", Names},    {"tile", Tile},       {"event", EventReply},
      {"search", SearchReply}, {"area", AreaReply}, {"flame", FlameReply}};
  const auto found = questions.find(what);
  if (found == questions.end()) return std::nullopt;
  Result<Reply> reply = found->second(run, parameters);
  return reply ? std::move(*reply) : ErrorReply(reply.error());
}

}  // namespace gait::serve
