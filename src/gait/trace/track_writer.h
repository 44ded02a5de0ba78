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
  // An argument of the next event. Which arguments vary from event to event is learned while writing: one
  // with more than a few values moves from the argument set to the value column.
  void Arg(StringId key, ArgValue value);
  // Arguments that every event of this name shares; they always stay in the set.
  void SharedArgs(std::span<const ArgEntry> entries);
  // The next event executes inside an earlier one of this track (its number in order of writing); tracks in
  // lanes.
  void Parent(uint32_t event) { next_parent_ = event; }
  // The event that the arguments so far belong to. A negative duration becomes 0 and a time beyond kMaxTime
  // is clamped; of an event that began before 0, where a capture begins, the part inside is kept, and none of
  // one that ended there. All are counted.
  void Event(Ps begin, Ps duration, StringId name);
  // Forgets the arguments so far: their event could not be read.
  void Discard();

  // The short way for a reader that recognises repeated arguments before decoding them: the set of an earlier
  // event, and its varying values in order, instead of Arg and SharedArgs.
  void RepeatArgs(ArgSetId set) { repeat_ = set; }
  void Value(ArgValue value, uint64_t base) { AppendValue(track_.values_, value, base); }
  bool HasRoomForValues() const { return track_.values_.size() < limits::kMaxValueBytesPerTrack - (1 << 16); }
  ArgSetId last_args() const { return track_.args_.empty() ? kNoArgs : ArgSetId(track_.args_.back()); }
  // Whether an argument's values go to the value column by now, and less which base.
  std::optional<uint64_t> VaryingBase(StringId key) const;

  // The id of a string that may not be in the trace's pool yet. Takes a lock only for strings new to this
  // writer.
  StringId Intern(std::string_view text);

  void Lose(LossKind kind, std::string_view reason, uint64_t count = 1) {
    losses_.Add(kind, place_, reason, count);
  }
  // The same for what is lost to a larger place than this track.
  void LoseAt(LossKind kind, std::string_view place, std::string_view reason, uint64_t count = 1) {
    losses_.Add(kind, place, reason, count);
  }

  const LossLog& losses() const { return losses_; }

  // How many events will come, if that is known: columns of the right size from the start.
  void Expect(size_t events);

  size_t size() const { return track_.begin_.size(); }
  const TrackInfo& info() const { return track_.info_; }

  // Puts the events in order, finds parents and lanes. Called by TraceBuilder::Add; a reader may call it
  // earlier, on its own thread.
  void Finalize();

 private:
  friend class TraceBuilder;
  TrackWriter(TraceBuilder& builder, TrackInfo info, std::string place);

  // What is known of one argument name on this track.
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
