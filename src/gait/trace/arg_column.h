// ArgColumn: one argument of many events. The sets with the argument are looked up once, so a question about
// an event costs no walk over its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait {

// O(argument sets) to make, O(1) per event where at most one argument of a set varies before it; thread-safe.
// The trace must outlive it.
class ArgColumn {
 public:
  ArgColumn(const Trace& trace, std::string_view key);

  bool in(ArgSetId set) const { return by_set_[set.value].entry != nullptr; }

  // The same as Trace::FindArg.
  std::optional<ArgValue> operator()(const Track& track, EventIndex event) const {
    const Place place = by_set_[track.args(event).value];
    if (place.entry == nullptr) return std::nullopt;
    const uint8_t* values = track.values(event);
    for (const ArgEntry* before = place.varying; before != place.entry; ++before) ReadValue(values, *before);
    return ReadValue(values, *place.entry);
  }

 private:
  struct Place {
    const ArgEntry* varying = nullptr;  // from here on entries may vary
    const ArgEntry* entry = nullptr;    // null: the set does not have it
  };
  std::vector<Place> by_set_;
};

}  // namespace gait
