#include "gait/trace/trace.h"

#include <algorithm>
#include <charconv>

namespace gait {

std::string_view Name(AttributionKind kind) {
  switch (kind) {
    case AttributionKind::kNone:
      return "none";
    case AttributionKind::kByName:
      return "by_name";
    case AttributionKind::kByGraphNode:
      return "by_graph_node";
    case AttributionKind::kNoProgram:
      return "no_program";
    case AttributionKind::kNoInstruction:
      return "no_instruction";
    case AttributionKind::kGraphMismatch:
      return "graph_mismatch";
  }
  return "none";
}

void Trace::ForEachArg(EventRef event, const std::function<void(StringId, ArgValue)>& f) const {
  const Track& on = track(event.track);
  const uint8_t* values = on.values(event.index);
  for (const ArgEntry& entry : args_[on.args(event.index)]) {
    const ArgValue value = ReadValue(values, entry);
    f(entry.key, value);
  }
}

std::vector<Arg> Trace::Args(EventRef event) const {
  std::vector<Arg> args;
  ForEachArg(event, [&](StringId key, ArgValue value) { args.push_back({key, value}); });
  return args;
}

std::optional<ArgValue> Trace::FindArg(EventRef event, StringId key) const {
  const Track& on = track(event.track);
  const uint8_t* values = on.values(event.index);
  for (const ArgEntry& entry : args_[on.args(event.index)]) {
    const ArgValue value = ReadValue(values, entry);
    if (entry.key == key) return value;
  }
  return std::nullopt;
}

std::optional<ArgValue> Trace::FindArg(EventRef event, std::string_view key) const {
  const std::optional<StringId> id = strings_.Find(key);
  return id ? FindArg(event, *id) : std::nullopt;
}

std::optional<ArgValue> Trace::FindArg(ArgSetId set, std::string_view key) const {
  const std::optional<StringId> id = strings_.Find(key);
  if (!id) return std::nullopt;
  for (const ArgEntry& entry : args_[set]) {
    if (entry.key == *id && !entry.varying) return ArgValue{entry.type, entry.bits};
  }
  return std::nullopt;
}

std::optional<int64_t> Trace::Integer(EventRef event, std::string_view key) const {
  const std::optional<ArgValue> value = FindArg(event, key);
  if (!value) return std::nullopt;
  if (!value->is_string()) return value->integer();
  const std::string_view digits = text(value->string());
  int64_t parsed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return parsed;
}

std::optional<std::string_view> Trace::String(EventRef event, std::string_view key) const {
  const std::optional<ArgValue> value = FindArg(event, key);
  if (!value || !value->is_string()) return std::nullopt;
  return text(value->string());
}

const Instruction* Trace::instruction(InstructionRef ref) const {
  return ref.valid() ? &programs_[ref.program.value][ref.instruction] : nullptr;
}

const Program* Trace::FindProgram(uint64_t program_id) const {
  const auto found = std::ranges::find(programs_, program_id, &Program::id);
  return found == programs_.end() ? nullptr : &*found;
}

std::optional<int64_t> Trace::scope_parent(int64_t scope_range_id) const {
  const auto found = std::ranges::lower_bound(scope_parents_, std::pair(scope_range_id, INT64_MIN));
  if (found == scope_parents_.end() || found->first != scope_range_id) return std::nullopt;
  return found->second;
}

Trace Trace::MovedBy(Ps offset) && {
  for (Track& track : tracks_) track.MoveBy(offset);
  return std::move(*this);
}

size_t Trace::event_count() const {
  size_t count = 0;
  for (const Track& track : tracks_) count += track.info().derived ? 0 : track.size();
  return count;
}

Ps Environment::LatestEnd() const {
  constexpr Ps kInFlight = Milliseconds(60'000);
  if (!start_unix_ns || !stop_unix_ns || *stop_unix_ns <= *start_unix_ns) return kMaxTime;
  const Int128 length = (static_cast<Int128>(*stop_unix_ns) - *start_unix_ns) * 1000;
  return Clamped(length * 2 + kInFlight.value());
}

Interval Trace::span() const {
  Interval span;
  bool first = true;
  for (const Track& track : tracks_) {
    if (track.size() == 0 || track.info().kind == TrackKind::kAggregated) continue;
    span.begin = first ? track.span().begin : std::min(span.begin, track.span().begin);
    span.end = first ? track.span().end : std::max(span.end, track.span().end);
    first = false;
  }
  return span;
}

size_t Trace::column_memory() const {
  size_t bytes = 0;
  for (const Track& track : tracks_) bytes += track.memory();
  return bytes;
}

size_t Trace::memory() const {
  return column_memory() + strings_.memory() + args_.memory() + planes_.capacity() * sizeof(Plane) +
         tracks_.capacity() * sizeof(Track) + attribution_.capacity() * sizeof(Attribution) +
         scope_parents_.capacity() * sizeof(scope_parents_[0]);
}

}  // namespace gait
