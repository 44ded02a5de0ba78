// Who asked for a copy, and what the host did with the bytes itself before or after it.
//
// The host's call of a copy (same correlation_id) often sits on a worker's thread. From there back to the
// program:
//   1. where events are around the call, the innermost that continues a flow (_c) begun by another event
//      (_p), for all copies inside it; else the call itself
//   2. where nothing is around it, the last event of its thread before it that continues a flow, for the one
//      copy that follows it. Where the work went on on another thread: the last event before the call that
//      explains no copy yet and is called like one that explained another copy of the kind
//   3. where copies to the device have no such event: the n-th copy is the n-th BufferFromHost... call that
//      no flow continues, provided there are as many of both and none comes before its call
// otherwise nobody knows. No thread's name matters.
//
// Staging of a copy to the device: that event (1, 2), up to the call; or the inner part of the host's call
// (3).
// Staging of a copy to the host: the host's "copy from staging buffer" that follows it and no other copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/question/transfers/copies.h"

namespace gait::analyze {

struct Origin {
  std::optional<EventRef> asker;    // the event of the host that asked
  std::optional<EventRef> staging;  // the event in which the host moved the bytes itself
  Interval staging_time;
};

// By position in `copies`, which are in order of time. Linear in the host's events, and O(copies log copies).
std::vector<Origin> FindOrigins(const HostView& host, const std::vector<Copy>& copies);

// The names of an event and of those around it, the innermost first; at most a few hundred.
std::vector<StringId> StackOf(const Trace& trace, EventRef event);

// What stands around an event of the host, in words.
struct Caller {
  std::string asked_by;  // the outermost event that is neither a step nor Python: an annotation, a call
  std::string python;    // "train.py:104 tr": the innermost Python frame that is no library's
  std::string function;  // what that frame called: "device_put"
  std::vector<std::string> stack;  // all of it, the outermost first
};
Caller DescribeCaller(const Trace& trace, EventRef event);

// "H2D Dispatch → Transpose::Execute": an event and what it mostly did.
std::string DescribeWork(const Trace& trace, EventRef event);

// A host event in which bytes that came from the device are copied out of a staging buffer.
bool IsUnstaging(std::string_view name);

}  // namespace gait::analyze
