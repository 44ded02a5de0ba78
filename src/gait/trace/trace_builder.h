// TraceBuilder: the only way to write a Trace. Readers never touch a column; the builder interns, orders and
// nests events, lays lanes, and counts its changes.
//
//   TraceBuilder builder;
//   PlaneId plane = builder.AddPlane({...});
//   TrackWriter writer = builder.NewTrack({.plane = plane, ...});   // one per line; each on any one thread
//   writer.Arg(key, value); writer.Event(begin, duration, name);
//   builder.Add(std::move(writer));                                 // in the order wanted
//   const Trace& sealed = builder.trace();                          // for what is derived from it
//   Trace trace = std::move(builder).Finish();
#pragma once

#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gait/trace/trace.h"
#include "gait/trace/track_writer.h"

namespace gait {

// Facts about an argument name that are known beforehand.
struct KnownArg {
  size_t max_distinct = 0;  // values to intern before it counts as varying; 0: varies from the start
  uint64_t base = 0;        // of the varying values (ArgEntry::bits)
};

class TraceBuilder {
 public:
  TraceBuilder();

  StringId Intern(std::string_view text);  // thread-safe
  ArgSetId InternArgs(std::span<const Arg> args);
  PlaneId AddPlane(Plane plane);
  TrackWriter NewTrack(TrackInfo info);
  TrackId Add(TrackWriter writer);
  void AddProgram(Program program);
  void AddScopeParent(int64_t child, int64_t parent);
  void Lose(LossKind kind, std::string_view place, std::string_view reason, uint64_t count = 1);
  void Merge(const LossLog& losses);
  Environment& environment() { return trace_.environment_; }

  // The trace so far, for the parts that are derived from it.
  const Trace& trace() const { return trace_; }
  void SetAttribution(std::vector<Attribution> by_arg_set);

  Trace Finish() &&;

 private:
  friend class TrackWriter;

  std::mutex mutex_;  // guards the string pool while writers run
  Trace trace_;
  std::unordered_map<uint32_t, KnownArg> known_args_;  // by StringId; constant after construction
};

}  // namespace gait
