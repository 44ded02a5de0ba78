// Collectives across the devices of a host: when the last of the other devices was ready for one.
//
// The k-th execution of a collective on one device is the k-th on every other. A device is ready for an
// execution when all work that the device began earlier has ended, or when the execution begins there,
// whichever comes first.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

class Peers {
 public:
  explicit Peers(const HostView& view);  // O(events); nothing is done for a single device

  // The other devices of an execution: when the last of them was ready, and which of them began last. nullopt
  // for events that are no collective, and for collectives that the devices do not execute equally often.
  struct Last {
    Ps ready;
    Ps begin;
    size_t device;  // that began last, in the view
    EventRef event;
  };
  std::optional<Last> Find(size_t device, EventRef event) const;

 private:
  struct Execution {
    Ps ready;
    Ps begin;
    EventRef event;
  };
  struct Collective {
    std::vector<std::vector<Execution>> by_device;  // in order of begin
  };
  std::vector<Collective> collectives_;
  // By device: which execution of which collective an event is, in order of the event.
  struct Entry {
    EventRef event;
    uint32_t collective;
    uint32_t execution;
  };
  std::vector<std::vector<Entry>> entries_;
};

}  // namespace gait::analyze
