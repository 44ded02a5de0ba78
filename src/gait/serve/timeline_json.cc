#include "gait/serve/timeline_json.h"

#include <algorithm>
#include <map>

#include "gait/report/json_writer.h"

namespace gait::serve {
namespace {

using timeline::TimelineTrack;

void TrackJson(report::JsonWriter& json, const TimelineTrack& track) {
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

void PlannedJson(report::JsonWriter& json, const timeline::PlannedTrack& track) {
  json.Object()
      .Field("key", track.key)
      .Field("kind", "track")
      .Field("title", track.title)
      .Field("type", track.type)
      .Field("draw", track.counter ? "counter" : "slices")
      .Field("lanes", track.lanes)
      .Field("derived", true)
      .Field("pending", true)
      .EndObject();
}

class TreeWriter {
 public:
  TreeWriter(report::JsonWriter& json, const TreeParts& parts)
      : json_(json),
        timeline_(parts.timeline),
        children_(timeline_.groups.size()),
        leaves_(timeline_.groups.size()) {
    const timeline::Timeline& timeline = parts.timeline;
    for (uint32_t g = 0; g < timeline.groups.size(); ++g) {
      const uint32_t parent = timeline.groups[g].parent;
      if (parent != timeline::kNoGroup) children_[parent].push_back(g);
    }
    for (const TimelineTrack* track : parts.tracks) leaves_[track->group].push_back({track->order, track});
    if (parts.planned != nullptr) {
      for (const timeline::PlannedTrack& track : *parts.planned) {
        leaves_[track.group].push_back({track.order, nullptr, &track});
      }
    }
    for (auto& list : leaves_) std::ranges::stable_sort(list, {}, &Leaf::order);
  }

  void Write() {
    json_.Array();
    for (uint32_t g = 0; g < timeline_.groups.size(); ++g) {
      if (timeline_.groups[g].parent == timeline::kNoGroup) Group(g);
    }
    json_.EndArray();
  }

 private:
  struct Leaf {  // one of both
    int order;
    const TimelineTrack* track;
    const timeline::PlannedTrack* planned = nullptr;
  };

  void Write(const Leaf& leaf) {
    if (leaf.track != nullptr) {
      TrackJson(json_, *leaf.track);
    } else {
      PlannedJson(json_, *leaf.planned);
    }
  }

  void Group(uint32_t g) {
    const timeline::Group& group = timeline_.groups[g];
    json_.Object().Field("key", group.key).Field("kind", Name(group.kind)).Field("title", group.title);
    if (!group.detail.empty()) json_.Field("detail", group.detail);
    json_.Key("children").Array();
    // What stands behind the capture's own tracks stands behind the groups too: it comes late, and those
    // before it keep their places.
    const auto behind = std::ranges::upper_bound(leaves_[g], timeline::kCapturedOrder, {}, &Leaf::order);
    for (auto leaf = leaves_[g].begin(); leaf != behind; ++leaf) Write(*leaf);
    for (const uint32_t child : children_[g]) Group(child);
    for (auto leaf = behind; leaf != leaves_[g].end(); ++leaf) Write(*leaf);
    json_.EndArray().EndObject();
  }

  report::JsonWriter& json_;
  const timeline::Timeline& timeline_;
  std::vector<std::vector<uint32_t>> children_;
  std::vector<std::vector<Leaf>> leaves_;
};

// A list of texts, each once.
class Pool {
 public:
  int64_t Find(std::string_view text) {
    if (text.empty()) return -1;
    const auto [at, added] = ids_.try_emplace(std::string(text), static_cast<int64_t>(texts_.size()));
    if (added) texts_.emplace_back(text);
    return at->second;
  }
  void Write(report::JsonWriter& json) const {
    json.Array();
    for (const std::string& text : texts_) json.Value(text);
    json.EndArray();
  }

 private:
  std::map<std::string, int64_t, std::less<>> ids_;
  std::vector<std::string> texts_;
};

}  // namespace

std::string TracksJson(const TreeParts& parts) {
  report::JsonWriter json;
  json.Object().Key("span").Array().Value(parts.span.begin).Value(parts.span.end).EndArray();
  json.Field("names", static_cast<uint64_t>(parts.names));
  json.Field("derived", parts.planned == nullptr ? "ready" : "pending").Key("tree");
  TreeWriter(json, parts).Write();
  json.EndObject();
  return std::move(json).TakeLine();
}

std::string NamesJson(const timeline::Book& book, std::span<const uint32_t> ids, size_t from, size_t total) {
  Pool categories;
  Pool scopes;
  report::JsonWriter json;
  json.Object().Field("from", static_cast<uint64_t>(from)).Field("total", static_cast<uint64_t>(total));
  json.Key("name").Array();
  for (const uint32_t id : ids) json.Value(book.names[id]->text());
  json.EndArray().Key("category").Array();
  for (const uint32_t id : ids) json.Value(categories.Find(book.details[id].category));
  json.EndArray().Key("class").Array();
  for (const uint32_t id : ids) json.Value(static_cast<int>(book.details[id].slice_class));
  json.EndArray().Key("scope").Array();
  for (const uint32_t id : ids) json.Value(scopes.Find(book.details[id].scope));
  json.EndArray().Key("operation").Array();
  for (const uint32_t id : ids) json.TextOrNull(book.details[id].operation);
  json.EndArray().Key("categories");
  categories.Write(json);
  json.Key("classes").Array();
  for (size_t c = 0; c < timeline::kSliceClasses; ++c) json.Value(Name(static_cast<timeline::SliceClass>(c)));
  json.EndArray().Key("scopes");
  scopes.Write(json);
  json.EndObject();
  return std::move(json).TakeLine();
}

}  // namespace gait::serve
