// Trace: one capture of one host, immutable. Only TraceBuilder makes one. Any number of threads may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/args.h"
#include "gait/trace/loss.h"
#include "gait/trace/program.h"
#include "gait/trace/string_pool.h"
#include "gait/trace/track.h"

namespace gait {

enum class PlaneKind : uint8_t { kHost, kGpu, kTpu, kCpuDevice, kCustom, kMetadata, kEnvironment, kOther };

struct Plane {
  int64_t id = 0;
  StringId name;  // "/device:GPU:0"
  PlaneKind kind = PlaneKind::kOther;
  std::optional<int64_t> ordinal;     // of a device
  std::optional<int64_t> process_id;  // the plane's own argument
  ArgSetId args = kNoArgs;            // plane arguments: device name, core count, versions, ...

  bool is_device() const {
    return kind == PlaneKind::kGpu || kind == PlaneKind::kTpu || kind == PlaneKind::kCpuDevice;
  }
};

// How an event was matched to an HLO instruction, or why it was not.
enum class AttributionKind : uint8_t {
  kNone,           // not an operation: a host event, a copy outside any program
  kByName,         // program id and instruction name are arguments of the event
  kByGraphNode,    // position of the CUDA graph's node in the entry schedule
  kNoProgram,      // names an operation of a program whose HLO is not in the capture
  kNoInstruction,  // the program has no instruction of that name
  kGraphMismatch,  // the graph's nodes do not fit the program's schedule
};

std::string_view Name(AttributionKind kind);  // "none", "by_name", "by_graph_node", "no_program", ...

struct Attribution {
  AttributionKind kind = AttributionKind::kNone;
  InstructionRef instruction;  // valid for kByName and kByGraphNode
};

// When and how the capture was made.
struct Environment {
  std::vector<std::string> hostnames;  // of the file; empty in old ones
  std::vector<std::string> errors;     // what the profiler reported
  std::vector<std::string> warnings;
  std::optional<int64_t>
      start_unix_ns;  // times of the trace are relative to this, as long as nobody moves it
  std::optional<int64_t> stop_unix_ns;
  std::map<std::string, std::string> options;   // of the capture: host_tracer_level, ...
  std::map<std::string, std::string> versions;  // jax_version, cuda_version, ...

  // Events of real captures end before this time. Work that is in flight when the profiler stops may take a
  // while, but neither a minute nor as long as the capture.
  Ps LatestEnd() const;
};

class Trace {
 public:
  // The trace with the offset added to the times of all events, each clamped to ±kMaxTime. For captures of
  // several hosts on one clock. O(events).
  Trace MovedBy(Ps offset) &&;

  const Environment& environment() const { return environment_; }
  const StringPool& strings() const { return strings_; }
  const ArgPool& arg_sets() const { return args_; }
  std::span<const Plane> planes() const { return planes_; }
  std::span<const Track> tracks() const { return tracks_; }
  std::span<const Program> programs() const { return programs_; }
  std::span<const Loss> losses() const { return losses_.losses(); }

  const Plane& plane(PlaneId id) const { return planes_[id.value]; }
  const Track& track(TrackId id) const { return tracks_[id.value]; }
  std::string_view text(StringId id) const { return strings_[id]; }
  std::string_view name(EventRef e) const { return text(track(e.track).name(e.index)); }

  // All arguments of an event in the order of the file.
  std::vector<Arg> Args(EventRef event) const;
  // Calls f(key, value) for each argument without making a list.
  void ForEachArg(EventRef event, const std::function<void(StringId, ArgValue)>& f) const;
  // The first argument of that name.
  std::optional<ArgValue> FindArg(EventRef event, StringId key) const;
  std::optional<ArgValue> FindArg(EventRef event, std::string_view key) const;
  // The first argument of that name as a number; numeric text counts.
  std::optional<int64_t> Integer(EventRef event, std::string_view key) const;
  std::optional<std::string_view> String(EventRef event, std::string_view key) const;
  // An argument of a set without varying arguments (of a plane, say).
  std::optional<ArgValue> FindArg(ArgSetId set, std::string_view key) const;

  // The instruction that events with this argument set execute. The arguments decide, so all events of a set
  // execute the same.
  Attribution attribution(ArgSetId set) const {
    return set.value < attribution_.size() ? attribution_[set.value] : Attribution{};
  }
  const Instruction* instruction(InstructionRef ref) const;
  const Program* FindProgram(uint64_t program_id) const;

  // Parent of a scope range (formats: plane /host:__ScopeRangeCallStack__).
  std::optional<int64_t> scope_parent(int64_t scope_range_id) const;

  size_t event_count() const;    // events of the file: derived tracks are not counted
  Interval span() const;         // of all tracks
  size_t memory() const;         // bytes on the heap, programs excluded
  size_t column_memory() const;  // bytes of the events' columns alone

 private:
  friend class TraceBuilder;

  StringPool strings_;
  ArgPool args_;
  std::vector<Plane> planes_;
  std::vector<Track> tracks_;
  std::vector<Program> programs_;
  std::vector<Attribution> attribution_;                    // by ArgSetId
  std::vector<std::pair<int64_t, int64_t>> scope_parents_;  // sorted (child, parent)
  LossLog losses_;
  Environment environment_;
};

}  // namespace gait
