// Questions about the timeline (docs/http.md).
#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "gait/serve/ahead.h"
#include "gait/serve/routes.h"
#include "gait/serve/timeline_json.h"
#include "gait/serve/timeline_reply.h"
#include "gait/timeline/derive/plan.h"
#include "gait/timeline/tile.h"

namespace gait::serve {
namespace {

using timeline::TimelineTrack;

Result<Reply> Tracks(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow({"derived"}));
  GAIT_TRY(const bool wait, parameters.Flag("derived"));
  const timeline::Timeline& timeline = run.timeline();
  const timeline::Derived* derived = run.derived(wait);
  std::vector<const TimelineTrack*> tracks;
  size_t names = timeline.captured.names.size();
  for (const TimelineTrack& track : timeline.captured.tracks) tracks.push_back(&track);
  if (derived != nullptr) {
    names += derived->set.names.size();
    for (const TimelineTrack& track : derived->set.tracks) tracks.push_back(&track);
  }
  if (derived != nullptr) return JsonReply(TracksJson({timeline, tracks, timeline.span, names}));
  const std::vector<timeline::PlannedTrack> planned = PlanDerived(timeline, run.captured_book());
  return JsonReply(TracksJson({timeline, tracks, timeline.span, names, &planned}));
}

Result<Reply> Names(OpenRun& run, const Parameters& parameters) {
  constexpr int64_t kMost = 65'536;
  GAIT_CHECK_OK(parameters.Allow({"from", "count", "captured"}));
  GAIT_TRY(const bool captured, parameters.Flag("captured"));
  GAIT_TRY(const std::optional<int64_t> from, parameters.Integer("from", 0, 0xffffffff));
  GAIT_TRY(const std::optional<int64_t> count, parameters.Integer("count", 0, kMost));
  const timeline::Book& book = captured ? run.captured_book() : run.book();
  const size_t total = book.names.size();
  const size_t first = std::min(static_cast<size_t>(from.value_or(0)), total);
  const size_t last = std::min(total, first + static_cast<size_t>(count.value_or(kMost)));
  std::vector<uint32_t> ids(last - first);
  std::iota(ids.begin(), ids.end(), static_cast<uint32_t>(first));
  return JsonReply(NamesJson(book, ids, first, total));
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
  SomebodyMoves();
  GAIT_TRY(timeline::TileRequest request, ParseTile(run, parameters));
  request.stop = parameters.gone();
  Reply reply = JsonReply(timeline::MakeTile(request));
  reply.content_type = "application/octet-stream";
  return reply;
}

// The first number in the parameters that is of no track; a text that is no number is told where it is read.
std::optional<std::string> MissingTrack(OpenRun& run, const Parameters& parameters) {
  for (const char* name : {"track", "tracks", "like"}) {
    const std::string list = parameters.Text(name);
    for (size_t at = 0; at < list.size();) {
      const size_t end = std::min(list.find_first_not_of("0123456789", at), list.size());
      uint32_t id = 0;
      const auto [stop, error] = std::from_chars(list.data() + at, list.data() + end, id);
      if (error == std::errc::result_out_of_range || (error == std::errc() && !run.HasTrack(id))) {
        return list.substr(at, end - at);
      }
      at = end + 1;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Reply> TimelineReply(OpenRun& run, const std::string& what, const Parameters& parameters) {
  const std::map<std::string_view, Result<Reply> (*)(OpenRun&, const Parameters&)> questions = {
      {"tracks", Tracks},      {"names", Names},    {"tile", Tile},        {"event", EventReply},
      {"search", SearchReply}, {"area", AreaReply}, {"flame", FlameReply}, {"executions", ExecutionsReply}};
  const auto found = questions.find(what);
  if (found == questions.end()) return std::nullopt;
  if (const std::optional<std::string> missing = MissingTrack(run, parameters)) {
    return ErrorReply(kNotFound, {ErrorKind::kUsage, fmt::format("there is no track '{}'.", *missing),
                                  "tracks lists them with their numbers."});
  }
  Result<Reply> reply = found->second(run, parameters);
  return reply ? std::move(*reply) : ErrorReply(reply.error());
}

}  // namespace gait::serve
