// Device memory profiles: which Python stacks hold memory, and how the memory changes over several profiles.
//
//   site          of a sample: the innermost frame outside JAX itself; the innermost frame where all are
//                 JAX's
//   flat(s)       = sum over the samples whose site is s
//   cumulative(f) = sum over the samples with the frame f anywhere in their stack, once each
//   stack         the identity of a sample over several profiles: its frames and its kind. Sizes and devices
//                 may differ: one line that makes arrays on eight devices is one stack
//   state         of a stack from the first profile to the last: new, gone, grown, shrunk or same
//   leak          bytes rise from each profile to the next, of three or more
//
// Identity: flat sums to the profile's total, and the changes of all stacks sum to the change of the total.
// Bytes. A sample whose size the backend does not know adds no bytes, and is counted apart.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"
#include "gait/trace/heap_profile.h"

namespace gait::analyze {

struct HeapTotal {
  std::string kind;    // "buffer"; empty: no label
  std::string device;  // empty: none
  int64_t bytes = 0;
  int64_t count = 0;
  int64_t unknown = 0;  // allocations of unknown size
};

struct HeapPlace {
  HeapFrame frame;  // empty: samples without a traceback
  int64_t flat = 0;
  int64_t flat_count = 0;
  int64_t cumulative = 0;
  int64_t cumulative_count = 0;
};

struct HeapSummary {
  int64_t bytes = 0;
  int64_t count = 0;
  std::vector<HeapTotal> totals;  // the largest first
  std::vector<HeapPlace> places;  // by flat, then cumulative, the largest first
};
HeapSummary Summarize(const HeapProfile& profile);

enum class HeapState : uint8_t { kNew, kGone, kGrown, kShrunk, kSame };
std::string_view Name(HeapState state);  // "new", "gone", ...

struct HeapStack {
  std::vector<HeapFrame> frames;  // the innermost first, which is the site; empty: no traceback
  std::string kind;
  std::set<std::string> devices;  // of its samples
  std::vector<int64_t> bytes;     // by profile
  std::vector<int64_t> counts;    // by profile

  int64_t change() const { return bytes.back() - bytes.front(); }
  HeapState state() const;
  bool leaks() const;
};

// All stacks of the profiles, the largest change first. `profiles` are in order of time; at least one.
std::vector<HeapStack> CompareHeaps(std::span<const HeapProfile> profiles);

// Keeps the samples of the devices that `wish` means: a label ("cuda:0"), its number, or a regular
// expression. A usage error when no profile has such a device.
Result<void> SelectDevice(std::vector<HeapProfile>& profiles, const std::string& wish);

// Whether the frame is JAX's own: people cannot change it.
bool IsOfJax(const HeapFrame& frame);
// "make (mem.py:3)".
std::string PlaceText(const HeapFrame& frame);

}  // namespace gait::analyze
