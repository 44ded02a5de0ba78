// TrackWriter: collects the events of one track for TraceBuilder. Not thread-safe itself; several writers of
// one builder may run at the same time. Cost: amortised O(1) per event and argument.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gait/base/limits.h"
#include "gait/trace/args.h"
#include "gait/trace/loss.h"
#include "gait/trace/track.h"

namespace gait {

class TraceBuilder;

class TrackWriter {
 public:
  // An argument of the next event. The writer learns which arguments vary: an argument with more than a few
  // values moves from the argument set to the value column.
  void Arg(StringId key, ArgValue value);
  // Arguments that every event of this name shares; they always stay in the set.
  void SharedArgs(std::span<const ArgEntry> entries);
  // The next event executes inside an earlier event of this track, given by its number in order of writing.
  // For tracks in lanes.
  void Parent(uint32_t event) { next_parent_ = event; }
  // Writes the event that the arguments so far belong to. A negative duration becomes 0; a time beyond
  // kMaxTime is clamped. An event that began before 0, the begin of the capture, is cut to the part after 0,
  // or dropped if it ended before. Each change is counted as a loss.
  void Event(Ps begin, Ps duration, StringId name);
  // Forgets the arguments so far: their event could not be read.
  void Discard();

  // For a reader that recognises repeated arguments without decoding them: the set of an earlier event, and
  // the varying values in order, instead of Arg and SharedArgs.
  void RepeatArgs(ArgSetId set) { repeat_ = set; }
  void Value(ArgValue value, uint64_t base) { AppendValue(track_.values_, value, base); }
  bool HasRoomForValues() const { return track_.values_.size() < limits::kMaxValueBytesPerTrack - (1 << 16); }
  ArgSetId last_args() const { return track_.args_.empty() ? kNoArgs : ArgSetId(track_.args_.back()); }
  // The base of an argument's values in the value column; nullopt: the argument does not vary so far.
  std::optional<uint64_t> VaryingBase(StringId key) const;

  // The id of a string, which is added to the trace's pool if necessary. Takes a lock only for strings that
  // are new to this writer.
  StringId Intern(std::string_view text);

  void Lose(LossKind kind, std::string_view reason, uint64_t count = 1) {
    losses_.Add(kind, place_, reason, count);
  }
  // Counts a loss of a larger place than this track.
  void LoseAt(LossKind kind, std::string_view place, std::string_view reason, uint64_t count = 1) {
    losses_.Add(kind, place, reason, count);
  }

  const LossLog& losses() const { return losses_; }

  // The number of events to come, if known: columns then have the right size from the start.
  void Expect(size_t events);

  size_t size() const { return track_.begin_.size(); }
  const TrackInfo& info() const { return track_.info_; }

  // Puts the events in order, finds parents and lanes. Called by TraceBuilder::Add; a reader may call it
  // earlier, on its own thread.
  void Finalize();

 private:
  friend class TraceBuilder;
  TrackWriter(TraceBuilder& builder, TrackInfo info, std::string place);

  // The state of one argument name on this track.
  struct Key {
    StringId key;
    bool varying = false;
    size_t max_distinct = 0;
    uint64_t base = 0;
    uint64_t last = 0;             // the newest value: most events repeat it
    std::vector<uint64_t> values;  // distinct values so far, as a hash set; empty once varying
    size_t distinct = 0;
  };
  Key& FindKey(StringId key);
  bool Varies(Key& key, uint64_t bits);

  void PutInOrder();
  void Nest();
  void LayLanes();
  void Summarize();
  void DoubtLate();

  TraceBuilder* builder_;
  std::string place_;
  Track track_;
  ArgPool sets_;  // of this track; merged into the trace's by TraceBuilder::Add
  std::vector<ArgEntry> next_args_;
  size_t expected_ = 0;
  size_t next_values_ = 0;  // where the next event's varying values begin
  ArgSetId repeat_;         // valid: the next event's set is known
  uint32_t next_parent_ = EventIndex::kInvalid;
  std::vector<Key> keys_;
  std::unordered_map<StringId, uint32_t> key_index_;
  std::vector<uint32_t> key_at_;  // which key stood at this position of the previous event
  StringPool seen_;
  std::vector<StringId> seen_ids_;  // by id in seen_
  LossLog losses_;
  bool final_ = false;
};

}  // namespace gait
