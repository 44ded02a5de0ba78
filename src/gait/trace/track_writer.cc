#include "gait/trace/track_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gait/base/limits.h"
#include "gait/trace/trace_builder.h"

namespace gait {
namespace {

uint64_t Mix(uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9;
  return v ^ (v >> 31);
}

template <typename T>
void Permute(std::vector<T>& column, const std::vector<uint32_t>& order) {
  if (column.empty()) return;
  std::vector<T> moved(column.size());
  for (size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
  column = std::move(moved);
}

}  // namespace

TrackWriter::TrackWriter(TraceBuilder& builder, TrackInfo info, std::string place)
    : builder_(&builder), place_(std::move(place)) {
  track_.info_ = info;
  seen_ids_.push_back(StringId(0));
}

TrackWriter::Key& TrackWriter::FindKey(StringId key) {
  // The arguments of one track come in the same order in event after event.
  const size_t position = next_args_.size();
  if (position < key_at_.size() && keys_[key_at_[position]].key == key) return keys_[key_at_[position]];
  const auto [known_key, is_new] = key_index_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
  const uint32_t found = known_key->second;
  if (is_new) {
    Key& added = keys_.emplace_back();
    added.key = key;
    const auto known = builder_->known_args_.find(key.value);
    if (known != builder_->known_args_.end()) {
      added.max_distinct = known->second.max_distinct;
      added.varying = known->second.max_distinct == 0;
      added.base = known->second.base;
    }
  }
  if (position >= key_at_.size()) key_at_.resize(position + 1, 0);
  key_at_[position] = found;
  return keys_[found];
}

bool TrackWriter::Varies(Key& key, uint64_t bits) {
  if (key.varying) return true;
  if (bits == key.last && key.distinct > 0) return false;
  key.last = bits;
  // Open addressing; value + 1 marks a used slot (the value 2^64 - 1 shares a slot with 0: one value less
  // counted).
  if (key.values.size() < key.distinct * 2 + 2) {
    std::vector<uint64_t> old(std::max<size_t>(16, key.values.size() * 2), 0);
    old.swap(key.values);
    for (const uint64_t value : old) {
      if (value == 0) continue;
      size_t i = Mix(value) & (key.values.size() - 1);
      while (key.values[i] != 0) i = (i + 1) & (key.values.size() - 1);
      key.values[i] = value;
    }
  }
  const uint64_t stored = bits + 1 == 0 ? 1 : bits + 1;
  size_t i = Mix(stored) & (key.values.size() - 1);
  while (key.values[i] != 0 && key.values[i] != stored) i = (i + 1) & (key.values.size() - 1);
  if (key.values[i] == stored) return false;
  key.values[i] = stored;
  if (++key.distinct <= key.max_distinct) return false;
  key.varying = true;
  key.values = {};
  return true;
}

void TrackWriter::Arg(StringId key, ArgValue value) {
  if (next_args_.size() >= limits::kMaxArgsPerEvent)
    return Lose(LossKind::kCapped, "arguments beyond the limit");
  Key& state = FindKey(key);
  if (state.max_distinct == 0 && !state.varying) {
    state.max_distinct = value.is_string() ? limits::kMaxDistinctStrings : limits::kMaxDistinctNumbers;
  }
  if (Varies(state, value.bits)) {
    if (track_.values_.size() + 16 > limits::kMaxValueBytesPerTrack) {
      return Lose(LossKind::kCapped, "arguments beyond the limit");
    }
    AppendValue(track_.values_, value, state.base);
    next_args_.push_back({key, value.type, true, state.base});
  } else {
    next_args_.push_back({key, value.type, false, value.bits});
  }
}

void TrackWriter::SharedArgs(std::span<const ArgEntry> entries) {
  next_args_.insert(next_args_.end(), entries.begin(), entries.end());
}

std::optional<uint64_t> TrackWriter::VaryingBase(StringId key) const {
  const auto found = key_index_.find(key);
  if (found == key_index_.end() || !keys_[found->second].varying) return std::nullopt;
  return keys_[found->second].base;
}

void TrackWriter::Discard() {
  next_args_.clear();
  repeat_ = {};
  track_.values_.resize(next_values_);
  next_parent_ = EventIndex::kInvalid;
}

void TrackWriter::Event(Ps begin, Ps duration, StringId name) {
  const size_t index = size();
  if (!name.valid()) name = StringId(0);  // analyses look names up by id: a nameless event has the empty one
  if (index >= limits::kMaxEventsPerTrack) {
    Lose(LossKind::kCapped, "events beyond the limit");
    return Discard();
  }
  if (duration < Ps(0)) {
    Lose(LossKind::kRepaired, "negative duration taken as 0");
    duration = Ps(0);
  }
  if (begin > kMaxTime || duration > kMaxTime) {
    Lose(LossKind::kRepaired, "time beyond the range taken as the nearest possible");
    begin = std::min(begin, kMaxTime);
    duration = std::min(duration, kMaxTime);
  }
  if (begin < Ps(0)) {
    duration = duration + std::max(begin, -kMaxTime);
    if (duration <= Ps(0)) {
      Lose(LossKind::kDropped, "event before the capture's beginning");
      return Discard();
    }
    Lose(LossKind::kRepaired, "event that began before the capture: its part inside counts");
    begin = Ps(0);
  }
  track_.begin_.push_back(begin.value());
  if (duration < Ps(Track::kLong)) {
    track_.duration_.push_back(static_cast<uint32_t>(duration.value()));
  } else {
    track_.duration_.push_back(Track::kLong | static_cast<uint32_t>(track_.long_durations_.size()));
    track_.long_durations_.push_back(duration.value());
  }
  track_.name_.push_back(name.value);
  if (!repeat_.valid()) repeat_ = next_args_.empty() ? kNoArgs : sets_.Intern(next_args_);
  // Columns that not every track needs begin at the first event that needs them.
  const auto put = [&](std::vector<uint32_t>& column, bool needed, uint32_t filler, uint32_t value) {
    if (!needed && column.empty()) return;
    if (column.empty()) column.reserve(expected_);
    column.resize(index, filler);
    column.push_back(value);
  };
  put(track_.args_, repeat_ != kNoArgs, kNoArgs.value, repeat_.value);
  put(track_.value_offset_, next_values_ != track_.values_.size(), 0, static_cast<uint32_t>(next_values_));
  put(track_.parent_, next_parent_ != EventIndex::kInvalid, EventIndex::kInvalid, next_parent_);
  next_args_.clear();
  repeat_ = {};
  next_values_ = track_.values_.size();
  next_parent_ = EventIndex::kInvalid;
}

void TrackWriter::Expect(size_t events) {
  expected_ = std::min(events, limits::kMaxEventsPerTrack);
  track_.begin_.reserve(expected_);
  track_.duration_.reserve(expected_);
  track_.name_.reserve(expected_);
}

StringId TrackWriter::Intern(std::string_view text) {
  const StringId local = seen_.Intern(text);
  if (local.value == seen_ids_.size()) seen_ids_.push_back(builder_->Intern(text));
  return seen_ids_[local.value];
}

void TrackWriter::Finalize() {
  if (std::exchange(final_, true)) return;
  Discard();
  PutInOrder();
  if (track_.info_.layout == Layout::kNested) {
    Nest();
  } else {
    LayLanes();
  }
  Summarize();
  DoubtLate();
  const auto shrink = [](auto&... columns) { (columns.shrink_to_fit(), ...); };
  shrink(track_.begin_, track_.duration_, track_.long_durations_, track_.name_, track_.args_,
         track_.value_offset_, track_.values_, track_.parent_, track_.around_, track_.lane_);
  seen_ = {};
  seen_ids_.resize(1);
  keys_.clear();
  key_index_.clear();
  key_at_.clear();
}

void TrackWriter::PutInOrder() {
  const auto before = [&](uint32_t a, uint32_t b) {
    if (track_.begin_[a] != track_.begin_[b]) return track_.begin_[a] < track_.begin_[b];
    return track_.duration(EventIndex(a)) > track_.duration(EventIndex(b));
  };
  bool sorted = true;
  uint64_t late = 0;  // events that begin before the one written before them
  for (uint32_t i = 1; i < size(); ++i) {
    if (before(i, i - 1)) sorted = false;
    if (track_.begin_[i] < track_.begin_[i - 1]) ++late;
  }
  if (sorted) return;
  Lose(LossKind::kRepaired, "events out of order, sorted", late);
  std::vector<uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, before);
  Permute(track_.begin_, order);
  Permute(track_.duration_, order);
  Permute(track_.name_, order);
  Permute(track_.args_, order);
  Permute(track_.value_offset_, order);
  if (track_.parent_.empty()) return;
  std::vector<uint32_t> moved_to(size());
  for (uint32_t i = 0; i < size(); ++i) moved_to[order[i]] = i;
  Permute(track_.parent_, order);
  for (uint32_t& parent : track_.parent_) {
    if (parent != EventIndex::kInvalid) parent = moved_to[parent];
  }
}

// The parent is the latest event before this one that ends no earlier. One that ends no later than a younger
// one can be nobody's parent any more: whatever it contained would be inside the younger one too. Without
// those, the ends of the candidates fall from the oldest to the youngest, and each is pushed and popped once.
void TrackWriter::Nest() {
  track_.parent_.assign(size(), EventIndex::kInvalid);
  track_.lane_.resize(size());
  std::vector<uint32_t> candidates;
  std::vector<uint32_t> open;  // events that have not ended, and those below one that has not; lanes rise
  const auto end_of = [&](uint32_t i) { return track_.end(EventIndex(i)); };
  bool any_parent = false;
  for (uint32_t i = 0; i < size(); ++i) {
    const Ps begin = track_.begin(EventIndex(i));
    const Ps end = end_of(i);
    while (!candidates.empty() && (end_of(candidates.back()) <= begin || end_of(candidates.back()) < end)) {
      candidates.pop_back();
    }
    if (!candidates.empty()) {
      track_.parent_[i] = candidates.back();
      any_parent = true;
      if (end_of(candidates.back()) == end) candidates.pop_back();
    }
    candidates.push_back(i);

    while (!open.empty() && end_of(open.back()) <= begin) open.pop_back();
    const uint32_t lane = open.empty() ? 0 : track_.lane_[open.back()] + 1U;
    if (lane >= limits::kMaxDepth) {
      track_.crowded_ = true;
      Lose(LossKind::kCapped, "nesting deeper than the limit");
    }
    if (!open.empty() && open.back() != track_.parent_[i]) track_.around_.emplace_back(i, open.back());
    track_.lane_[i] = static_cast<uint16_t>(std::min(lane, limits::kMaxDepth));
    track_.lanes_ = std::max(track_.lanes_, track_.lane_[i] + 1U);
    open.push_back(i);
  }
  if (!any_parent) track_.parent_ = {};
}

void TrackWriter::LayLanes() {
  track_.lane_.resize(size());
  std::vector<Ps> free_from;  // by lane
  for (uint32_t i = 0; i < size(); ++i) {
    const EventIndex event(i);
    const EventIndex parent = track_.parent(event);
    size_t lane = parent.valid() ? track_.lane_[parent.value] + 1U : 0;
    while (lane < free_from.size() && free_from[lane] > track_.begin(event)) ++lane;
    if (lane >= limits::kMaxLanes) {
      lane = limits::kMaxLanes - 1;
      track_.crowded_ = true;
      Lose(LossKind::kCapped, "more events at once than lanes to draw them");
    }
    if (lane >= free_from.size()) free_from.resize(lane + 1);
    free_from[lane] = std::max(free_from[lane], track_.end(event));
    track_.lane_[i] = static_cast<uint16_t>(lane);
  }
  track_.lanes_ = static_cast<uint32_t>(free_from.size());
}

void TrackWriter::Summarize() {
  if (size() == 0) return;
  track_.span_ = {Ps(track_.begin_.front()), Ps(track_.begin_.front())};
  Int128 total = 0;
  for (uint32_t i = 0; i < size(); ++i) {
    track_.span_.end = std::max(track_.span_.end, track_.end(EventIndex(i)));
    total += track_.duration(EventIndex(i)).value();
  }
  track_.total_duration_ =
      Ps(static_cast<int64_t>(std::min<Int128>(total, std::numeric_limits<int64_t>::max())));
}

void TrackWriter::DoubtLate() {
  const Ps latest = builder_->environment().LatestEnd();
  if (track_.span_.end <= latest || track_.info_.kind == TrackKind::kAggregated) return;
  uint64_t late = 0;
  for (uint32_t i = 0; i < size(); ++i) late += track_.end(EventIndex(i)) > latest ? 1 : 0;
  Lose(LossKind::kDoubtful, "ends long after the profiler stopped", late);
}

}  // namespace gait
