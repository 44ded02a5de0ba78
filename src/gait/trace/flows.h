// FlowIndex: which event caused which. The links of a trace in both directions:
//   correlation        a host launch and the device events that it started share correlation_id (a CUDA graph
//                      launch and all its kernels share one)
//   producer/consumer  (type, id) from _pt/_p of the producer to _ct/_c of the consumer; ids are 64-bit
//                      patterns, a missing type is 0, and _ct=14 with _c=0 says "no context was passed"
//   roots              events with _r > 0 (step markers)
//
// Built once from a trace, 24 bytes per link end, O(links log links); look-ups O(log links). Thread-safe.
#pragma once

#include <span>
#include <vector>

#include "gait/trace/trace.h"

namespace gait {

class FlowIndex {
 public:
  explicit FlowIndex(const Trace& trace);

  // The events that this event caused: device events of a launch, consumers of a producer. In order of track
  // and time.
  std::vector<EventRef> Outgoing(EventRef event) const;
  // The events that caused this event.
  std::vector<EventRef> Incoming(EventRef event) const;
  // Events that begin a group of their own (step markers), in order of track and time.
  std::span<const EventRef> roots() const { return roots_; }

  size_t links() const { return producers_.size() + consumers_.size(); }

 private:
  struct Key {
    int64_t type = 0;
    uint64_t id = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct End {
    Key key;
    EventRef event;
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Keys {
    std::vector<Key> produced;
    std::vector<Key> consumed;
    bool root = false;
  };

  Keys KeysOf(EventRef event) const;
  static std::vector<EventRef> Find(const std::vector<End>& ends, const std::vector<Key>& keys);

  const Trace& trace_;
  StringId correlation_, producer_type_, producer_, consumer_type_, consumer_, root_;
  std::vector<End> producers_;  // sorted
  std::vector<End> consumers_;  // sorted
  std::vector<EventRef> roots_;
};

}  // namespace gait
