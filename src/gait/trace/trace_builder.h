// TraceBuilder: the only way to write a Trace. Readers call it and never touch a column; it interns, orders, nests,
// lays lanes and counts what it had to change.
//
//   TraceBuilder builder;
//   PlaneId plane = builder.AddPlane({...});
//   TrackWriter writer = builder.NewTrack({.plane = plane, ...});   // one per line; each on any one thread
//   writer.Begin(begin, duration, name); writer.Arg(key, value); writer.End();
//   builder.Add(std::move(writer));                                 // in the order wanted
//   const Trace& sealed = builder.trace();                          // for what is derived from it
//   Trace trace = std::move(builder).Finish();
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait {

class TraceBuilder;

// TrackWriter collects the events of one track. Not thread-safe itself; several writers of one builder may run at
// the same time. Cost: amortised O(1) per event and argument.
class TrackWriter {
 public:
  // Opens an event. A negative duration becomes 0 and a time beyond kMaxTime is clamped, both counted.
  void Begin(Ps begin, Ps duration, StringId name);
  void Add(StringId key, ArgValue value);
  // The event executes inside an earlier one of this track (index in order of Begin); for tracks in lanes.
  void SetParent(uint32_t parent) { pending_parent_ = parent; }
  void End();

  // A string that is not in the trace's pool yet. Takes a lock only when this writer sees it for the first time.
  StringId Intern(std::string_view text);

  void Lose(LossKind kind, std::string_view reason, uint64_t count = 1);

  size_t size() const { return track_.begin_.size(); }
  const TrackInfo& info() const { return track_.info_; }
  void Reserve(size_t events);

 private:
  friend class TraceBuilder;
  TrackWriter(TraceBuilder& builder, TrackInfo info, std::string place);

  // How often an argument's value changed is learned while writing: beyond kMaxDistinct values it is a column.
  struct KeyState;
  KeyState& StateOf(StringId key);
  void Finalize();
  void Sort();
  void Nest();
  void LayLanes();

  TraceBuilder* builder_;
  std::string place_;
  Track track_;
  ArgPool sets_;  // local; merged by TraceBuilder::Add
  std::vector<ArgEntry> pending_;
  std::vector<ArgValue> pending_values_;
  uint32_t pending_parent_ = Id<void>::kInvalid;
  std::vector<std::unique_ptr<KeyState>> keys_;  // by StringId
  std::vector<std::pair<size_t, StringId>> unused_;
  std::unique_ptr<StringPool> seen_;
  std::vector<StringId> seen_ids_;
  LossLog losses_;
};

class TraceBuilder {
 public:
  TraceBuilder();

  StringId Intern(std::string_view text);  // thread-safe
  ArgSetId InternArgs(std::span<const Arg> args);
  PlaneId AddPlane(Plane plane);
  TrackWriter NewTrack(TrackInfo info);
  void Add(TrackWriter writer);
  void AddProgram(Program program);
  void AddScopeParent(int64_t child, int64_t parent);
  void Lose(LossKind kind, std::string_view place, std::string_view reason, uint64_t count = 1);
  void Merge(const LossLog& losses);
  Environment& environment() { return trace_.environment_; }

  // What was added so far, for the parts that are derived from it.
  const Trace& trace() const { return trace_; }
  void SetAttribution(std::vector<Attribution> by_arg_set);

  Trace Finish() &&;

 private:
  friend class TrackWriter;
  std::mutex mutex_;  // guards the string pool while writers run
  Trace trace_;
};

}  // namespace gait
