// The host's call that asked for a piece of device work.
//
// A GPU event and its launch share correlation_id (a CUDA graph launch and all its kernels share one).
// Operations of a CPU and modules of a TPU share run_id with the host's Execute call. A TPU's module is also
// the consumer of a flow (type 12), which the call that enqueued the module began. A TPU operation belongs to
// the module that runs around it. Calls for a single CPU device name no run: there the task tells, which a
// call gave to a thread of the pool, and the order (run_pairing.h).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/run_pairing.h"
#include "gait/trace/arg_column.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// The longest time that a launch needs from the end of its call to the begin of the work. If it took longer,
// something held the work.
inline constexpr Ps kMostLaunchDelay = Microseconds(100);

// O(host events) to make; O(1) per event for ids that are close together, else O(log launches); thread-safe.
class Launches {
 public:
  explicit Launches(const Trace& trace);

  // The id that an event and its call share. Events of one id have one call.
  struct Id {
    enum class Kind : uint8_t { kNone, kCorrelation, kRun };
    Kind kind = Kind::kNone;
    int64_t value = 0;

    bool known() const { return kind != Kind::kNone; }
    friend bool operator==(const Id&, const Id&) = default;
  };
  Id IdOf(const Track& track, EventIndex event) const {
    if (const auto id = correlation_(track, event))
      return {Id::Kind::kCorrelation, id->integer().value_or(0)};
    if (const auto run = run_(track, event)) return {Id::Kind::kRun, run->integer().value_or(0)};
    return {};
  }
  // The host's call; nullopt when the capture does not hold it.
  std::optional<EventRef> Call(const Device& device, TrackId track, EventIndex event) const;
  // When the call began.
  std::optional<Ps> Find(const Device& device, TrackId track, EventIndex event) const;

 private:
  // Calls by id. Ids of one capture are mostly consecutive numbers: a look-up is then one index.
  class Calls {
   public:
    void Add(int64_t id, EventRef call, Ps begin) { calls_.push_back({id, begin, call}); }
    void Finish();  // of several calls with one id the first in time is the launch
    std::optional<EventRef> Find(int64_t id) const;
    bool Has(int64_t id) const { return Find(id).has_value(); }

   private:
    struct Entry {
      int64_t id;
      Ps begin;
      EventRef call;
    };
    std::vector<Entry> calls_;     // sorted
    std::vector<uint32_t> dense_;  // by id - first id: position + 1; empty: search
  };

  // The calls of runs of one CPU device, whose calls name no run, as far as the pool's tasks tell. `calls`
  // are in order, thread by thread; `unnamed` says which names are theirs.
  CallOfRun CallsOfRuns(const std::vector<EventRef>& calls, const std::vector<bool>& unnamed) const;
  void FindUnnamed(const std::vector<EventRef>& calls, const CallOfRun& known);
  std::optional<EventRef> CallOfModule(const Device& device, Ps time) const;
  // The id of the flow that launches a TPU's module; `event` is either end of the flow.
  std::optional<int64_t> TpuFlow(EventRef event, StringId type, StringId id) const;

  const Trace& trace_;
  ArgColumn correlation_, run_;
  StringId producer_type_, producer_, consumer_type_, consumer_;
  Calls by_correlation_;
  Calls by_run_;
  Calls by_flow_;
  std::vector<TrackId> module_track_;  // by plane; invalid: none
};

}  // namespace gait::analyze
