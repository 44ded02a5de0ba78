// The call that asked for a copy, and the host's own work on the bytes before or after the copy (staging).
//
// The host's call of a copy (same correlation_id) often sits on a worker's thread. The way from there back to
// the program:
//   1. where events are around the call: the innermost of them that continues a flow (_c) which another event
//      began (_p). It stands for all copies inside it. Without a flow, the call itself
//   2. where no event is around the call: the last event before it on its thread that continues a flow. It
//      stands for the one copy that follows it. Where another thread took over the work: the last event
//      before the call that stands for no copy yet and has the name of an event that stands for another copy
//      of the kind
//   3. where copies to the device have no such event: the n-th copy is the n-th BufferFromHost... call
//      without a flow, if there are as many calls as copies and no copy comes before its call
// Otherwise the origin is unknown. The names of threads do not matter.
//
// Staging of a copy to the device is the event of 1 or 2, up to the call, or the inner part of the host's
// call of 3. Staging of a copy to the host is the host's "copy from staging buffer" that follows this copy
// and no other.
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

// The origin of each copy, by its position in `copies`, which are in order of time. Linear in the host's
// events, and O(copies log copies).
std::vector<Origin> FindOrigins(const HostView& host, const std::vector<Copy>& copies);

// The names of an event and of the events around it, the innermost first; at most a few hundred.
std::vector<StringId> StackOf(const Trace& trace, EventRef event);

// The events around an event of the host, in words.
struct Caller {
  std::string asked_by;  // the outermost event that is neither a step nor Python: an annotation, a call
  std::string python;    // "train.py:104 tr": the innermost Python frame that is no library's
  std::string function;  // what that frame called: "device_put"
  std::vector<std::string> stack;  // all of it, the outermost first
};
Caller DescribeCaller(const Trace& trace, EventRef event);

// An event and the inner event that took most of its time: "H2D Dispatch → Transpose::Execute".
std::string DescribeWork(const Trace& trace, EventRef event);

}  // namespace gait::analyze
