#include "gait/trace/flows.h"

#include <algorithm>
#include <optional>

namespace gait {
namespace {

constexpr int64_t kCorrelation = -1;  // a type that no file uses
constexpr int64_t kPjrtLibraryCall = 14;

}  // namespace

FlowIndex::FlowIndex(const Trace& trace) : trace_(trace) {
  const auto find = [&](std::string_view key) { return trace.strings().Find(key).value_or(StringId()); };
  correlation_ = find("correlation_id");
  producer_type_ = find("_pt");
  producer_ = find("_p");
  consumer_type_ = find("_ct");
  consumer_ = find("_c");
  root_ = find("_r");

  // Most argument sets hold no link at all: decide by set, look at the event only where it has one.
  std::vector<bool> linked(trace.arg_sets().size());
  for (size_t i = 0; i < linked.size(); ++i) {
    linked[i] = std::ranges::any_of(trace.arg_sets()[ArgSetId(i)], [&](const ArgEntry& entry) {
      return entry.key == correlation_ || entry.key == producer_ || entry.key == consumer_ ||
             entry.key == root_;
    });
  }
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().derived) continue;
    for (uint32_t i = 0; i < track.size(); ++i) {
      if (!linked[track.args(EventIndex(i)).value]) continue;
      const EventRef event{TrackId(t), EventIndex(i)};
      const Keys keys = KeysOf(event);
      for (const Key key : keys.produced) producers_.push_back({key, event});
      for (const Key key : keys.consumed) consumers_.push_back({key, event});
      if (keys.root) roots_.push_back(event);
    }
  }
  std::ranges::sort(producers_);
  std::ranges::sort(consumers_);
}

FlowIndex::Keys FlowIndex::KeysOf(EventRef event) const {
  std::optional<uint64_t> correlation, produced, consumed;
  int64_t produced_type = 0;
  int64_t consumed_type = 0;
  Keys keys;
  trace_.ForEachArg(event, [&](StringId key, ArgValue value) {
    const std::optional<int64_t> number = value.integer();
    if (!number) return;
    if (key == correlation_) correlation = static_cast<uint64_t>(*number);
    if (key == producer_) produced = static_cast<uint64_t>(*number);
    if (key == producer_type_) produced_type = *number;
    if (key == consumer_) consumed = static_cast<uint64_t>(*number);
    if (key == consumer_type_) consumed_type = *number;
    if (key == root_) keys.root = *number > 0;
  });
  if (correlation) {
    const bool launch = trace_.track(event.track).info().kind != TrackKind::kStream;
    (launch ? keys.produced : keys.consumed).push_back({kCorrelation, *correlation});
  }
  if (produced) keys.produced.push_back({produced_type, *produced});
  if (consumed && !(consumed_type == kPjrtLibraryCall && *consumed == 0)) {
    keys.consumed.push_back({consumed_type, *consumed});
  }
  return keys;
}

std::vector<EventRef> FlowIndex::Find(const std::vector<End>& ends, const std::vector<Key>& keys) {
  std::vector<EventRef> found;
  for (const Key key : keys) {
    const auto range = std::ranges::equal_range(ends, key, {}, &End::key);
    for (const End& end : range) found.push_back(end.event);
  }
  // The events of one key are in order; two keys may lead to the same event.
  if (keys.size() > 1) {
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
  }
  return found;
}

std::vector<EventRef> FlowIndex::Outgoing(EventRef event) const {
  return Find(consumers_, KeysOf(event).produced);
}

std::vector<EventRef> FlowIndex::Incoming(EventRef event) const {
  return Find(producers_, KeysOf(event).consumed);
}

}  // namespace gait
