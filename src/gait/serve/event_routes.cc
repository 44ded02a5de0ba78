// All about one slice.
#include <limits>

#include "gait/analyze/run/arguments.h"
#include "gait/analyze/run/describe.h"
#include "gait/report/json_writer.h"
#include "gait/serve/slice_json.h"
#include "gait/serve/timeline_reply.h"
#include "gait/timeline/links.h"
#include "gait/timeline/reach.h"
#include "gait/timeline/same.h"

namespace gait::serve {
namespace {

using timeline::SliceRef;
using timeline::TimelineTrack;

// Time in which no later slice of the track runs.
Ps SelfOf(const TimelineTrack& track, EventIndex event) {
  const Interval window = track.events().interval(event);
  const std::vector<EventIndex> slices = timeline::Reaching(track, window);
  Ps self;
  timeline::ForEachSelfPart(track.events(), slices, window, [&](size_t i, Interval part) {
    if (slices[i] == event) self += part.length();
  });
  return self;
}

void ListJson(report::JsonWriter& json, const char* name, const timeline::Book& book,
              const std::vector<SliceRef>& slices) {
  constexpr size_t kMost = 100;
  json.Key(name).Array();
  for (size_t i = 0; i < std::min(slices.size(), kMost); ++i) SliceJson(json, book, slices[i]);
  json.EndArray().Field(std::string(name) + "_total", static_cast<uint64_t>(slices.size()));
}

void OptionalJson(report::JsonWriter& json, const char* name, const timeline::Book& book,
                  const std::optional<SliceRef>& slice) {
  json.Key(name);
  if (slice) {
    SliceJson(json, book, *slice);
  } else {
    json.Null();
  }
}

void SameJson(report::JsonWriter& json, const timeline::Book& book, const timeline::SameSlices& same) {
  json.Key("same").Object();
  DurationsJson(json, same.count, same.statistics, same.histogram);
  json.Field("total", same.total).Field("position", static_cast<uint64_t>(same.position));
  OptionalJson(json, "previous", book, same.previous);
  OptionalJson(json, "next", book, same.next);
  json.EndObject();
}

}  // namespace

Result<Reply> EventReply(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow({"track", "event", "by"}));
  GAIT_TRY(const TimelineTrack* track, run.FindTrack(parameters.Text("track")));
  if (track->counter) return UsageError("a counter has no slices.");
  GAIT_TRY(const std::optional<int64_t> number,
           parameters.Integer("event", 0, std::numeric_limits<int64_t>::max()));
  if (!number) return UsageError("which slice of the track?", "Give event.");
  if (static_cast<uint64_t>(*number) >= track->events().size()) {
    return ErrorReply(kNotFound, {ErrorKind::kUsage, "there is no such slice on this track.", ""});
  }
  const std::string by = parameters.Text("by");
  if (!by.empty() && by != "name" && by != "operation") return UsageError("by is name or operation.");
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run.View({}));
  const timeline::Book& book = run.book();
  const EventIndex event(static_cast<size_t>(*number));
  const SliceRef slice{track->events().begin(event), track->id, event.value};
  const uint32_t id = track->names[event.value];
  const timeline::Links links = timeline::FindLinks(
      book, *view, slice, [&](size_t host) -> const FlowIndex& { return run.flows(host); });
  const Attribution found = track->trace->attribution(track->events().args(event));

  report::JsonWriter json;
  json.Object()
      .Field("track", track->id)
      .Field("event", event.value)
      .Field("name", book.names[id]->text())
      .Field("name_id", id)
      .Field("label", track->derived ? track->title : analyze::TrackLabel(*track->trace, track->events()))
      .Field("begin", slice.begin)
      .Field("duration", track->events().duration(event))
      .Field("self", SelfOf(*track, event))
      .Field("lane", track->events().lane(event))
      .Field("category", book.details[id].category)
      .Field("class", Name(book.details[id].slice_class))
      .Key("args")
      .Raw(analyze::ArgumentsCell(*track->trace, {track->track, event}).json());
  OptionalJson(json, "parent", book, links.parent);
  OptionalJson(json, "before", book, links.before);
  OptionalJson(json, "after", book, links.after);
  json.Field("step", timeline::StepOf(book, run.timeline(), *view, slice)).Key("operation");
  const bool attributed = found.instruction.valid() && !track->derived;
  if (attributed) {
    OperationJson(json, *track->trace, found);
  } else {
    json.Null();
  }
  json.Key("unattributed");
  if (!attributed && timeline::IsDeviceWork(*track)) {
    std::string_view why = analyze::Describe(found.kind);
    if (constexpr std::string_view no = "no: "; why.starts_with(no)) why.remove_prefix(no.size());
    json.Value(why);
  } else {
    json.Null();
  }
  ListJson(json, "causes", book, links.causes);
  ListJson(json, "effects", book, links.effects);
  SameJson(json, book,
           timeline::FindSame(book, slice,
                              by == "operation" ? timeline::SameBy::kOperation : timeline::SameBy::kName));
  json.EndObject();
  return JsonReply(std::move(json).TakeLine());
}

}  // namespace gait::serve
