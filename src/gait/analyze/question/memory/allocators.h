// The memory of a capture's allocators: a timeline per allocator.
//
//   in use(e)     = the event's bytes_allocated (memory handed out, after the event) + bytes_reserved (memory
//                   kept for the temporaries of programs; TPUs reserve, GPUs do not). Where an event has
//                   neither, the total before the event plus or minus its bytes
//   before        = in use of the first event, less the change by this event: memory in use when the capture
//                   began
//   peak          = max of in use over the events of the window; the total at the begin of the window counts
//                 too
//   limit         = in use + bytes_available at the peak: the memory that the allocator may use
//   headroom      = limit - peak: the memory that was free at the peak
//   fragmentation = (free - largest free chunk) / free, as the allocator says, at the peak
//   live set      = the allocations of the capture up to the peak without a later deallocation of the same
//                   address, the reserved memory, and the rest of the total: memory from before the capture
//
// Identity: the live set with its rest sums to the peak exactly; in use never falls below 0. Bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct AllocationEvent {
  Ps time;
  EventRef event;
  bool allocates = true;
  std::optional<int64_t> bytes;  // given to it, or given back; deallocations of TPUs do not say
  std::optional<int64_t> address;
  int64_t reserved = 0;
  int64_t in_use = 0;  // after it, with what is reserved
};

enum class MemorySpace : uint8_t { kDevice, kHost };
std::string_view Name(MemorySpace space);  // "device", "host"

// The memory of an allocator at one moment.
struct MemoryPoint {
  Ps time;
  int64_t in_use = 0;
};

enum class LiveKind : uint8_t {
  kBefore,       // allocated before the capture began: the rest
  kTemporaries,  // of a program that runs
  kOutput,       // of a program
  kInput,        // from the host
  kCompilation,  // candidates of the autotuner, constants
  kReserved,     // for temporaries of programs, whether one runs or not
  kOther,
};
std::string_view Name(LiveKind kind);  // "before", "temporaries", ...

// A group of like allocations of the live set.
struct LiveAllocation {
  LiveKind kind = LiveKind::kOther;
  std::string program;    // that was running; empty: none
  std::string operation;  // what the event says (tf_op), or the host's call that allocated; empty: unknown
  std::string shape;      // empty: unknown
  int64_t bytes = 0;
  uint64_t count = 0;
};

struct Allocator {
  std::string name;  // "GPU_0_bfc"
  MemorySpace space = MemorySpace::kDevice;
  PlaneId plane;                        // of its device; invalid: the host's, or not in the capture
  std::string device;                   // "GPU 0", "host"
  std::vector<AllocationEvent> events;  // in order of time
  uint64_t allocations = 0;             // inside the window
  uint64_t deallocations = 0;
  int64_t allocated_bytes = 0;  // by the allocations of the window, one by one
  int64_t before = 0;
  int64_t peak = 0;
  Ps peak_time;
  std::optional<int64_t> peak_step;
  std::optional<double> fragmentation;  // at the peak, 0 to 1
  std::optional<int64_t> limit;
  std::optional<int64_t> lifetime_peak;  // largest peak_bytes_in_use: handed out since the process began
  std::optional<int64_t> peak_before;    // ditto before the capture, if the first event has set no new one
  std::optional<int64_t> device_memory;  // memory_size of the device
  std::vector<LiveAllocation> live;      // the largest first
  std::vector<MemoryPoint> timeline;     // at most kTimelinePoints; the peak is one of them

  std::optional<int64_t> headroom() const { return limit ? std::optional(*limit - peak) : std::nullopt; }
};

inline constexpr size_t kTimelinePoints = 1000;

// The allocators in order of space and name. The window is the selected steps', else the whole capture.
// Linear in the host's events; O(n log n) in the allocators' events.
std::vector<Allocator> FindAllocators(const HostView& host, const Selection& selection);

// At most `most` of the points: the lowest and the highest point of each of most / 2 equal parts of the time.
std::vector<MemoryPoint> Downsample(const std::vector<MemoryPoint>& points, size_t most);

// An allocator that arguments of the capture name, without its events. `device` is invalid where the name
// tells none.
struct NamedAllocator {
  std::string name;
  PlaneId device;
};
std::vector<NamedAllocator> NamedAllocators(const Trace& trace);  // O(argument sets)

}  // namespace gait::analyze
