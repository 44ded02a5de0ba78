#include "gait/analyze/question/compile/pool_work.h"

#include <algorithm>
#include <unordered_map>

#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {

PoolWork::PoolWork(const Trace& trace) : regions_(trace.tracks().size()) {
  const auto find = [&](std::string_view key) { return trace.strings().Find(key).value_or(StringId()); };
  const StringId record = find(NameOf(RuntimeCall::kTaskGiven));
  const StringId start = find(NameOf(RuntimeCall::kTaskBegins));
  const StringId stop = find(NameOf(RuntimeCall::kTaskEnds));
  const StringId producer = find("_p");
  const StringId consumer = find("_c");
  if (!record.valid() || !start.valid()) return;

  std::unordered_map<uint64_t, Place> given;                    // by number
  std::vector<std::pair<Region*, uint64_t>> numbered;           // filled once no region moves any more
  std::vector<std::vector<uint64_t>> numbers(regions_.size());  // of the regions
  for (size_t t = 0; t < regions_.size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const StringId name = track.name(event);
      if (name != record && name != start && name != stop) continue;
      const Ps at = track.begin(event);
      if (name == record) {
        if (const auto number = trace.FindArg({TrackId(t), event}, producer))
          given.try_emplace(number->bits, Place{TrackId(t), at});
        continue;
      }
      if (!regions_[t].empty()) regions_[t].back().time.end = std::min(regions_[t].back().time.end, at);
      if (name == stop) continue;
      const auto number = trace.FindArg({TrackId(t), event}, consumer);
      if (!number) continue;
      regions_[t].push_back({{at, kMaxTime}, std::nullopt});
      numbers[t].push_back(number->bits);
    }
  }
  for (size_t t = 0; t < regions_.size(); ++t) {
    for (size_t r = 0; r < regions_[t].size(); ++r) numbered.emplace_back(&regions_[t][r], numbers[t][r]);
  }
  // Whoever gives work began before it: the chain behind a region is known when its turn comes.
  std::ranges::stable_sort(numbered, {}, [](const auto& one) { return one.first->time.begin; });
  for (const auto& [region, number] : numbered) {
    const auto by = given.find(number);
    if (by == given.end()) continue;
    const Region* around = RegionAt(by->second);
    region->given = around != nullptr && around != region ? around->given : by->second;
  }
}

std::optional<PoolWork::Place> PoolWork::AskedBy(TrackId thread, Ps time) const {
  const Region* region = RegionAt({thread, time});
  return region == nullptr ? std::nullopt : region->given;
}

const PoolWork::Region* PoolWork::RegionAt(Place place) const {
  const std::vector<Region>& own = regions_[place.thread.value];
  const auto after =
      std::ranges::upper_bound(own, place.time, {}, [](const Region& r) { return r.time.begin; });
  if (after == own.begin() || !std::prev(after)->time.contains(place.time)) return nullptr;
  return &*std::prev(after);
}

}  // namespace gait::analyze
