// The places of derived tracks before they are made, from the names of the capture alone, so that the first
// picture can keep the places free. A guess: a planned track that turns out to be empty is not made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/timeline/book.h"

namespace gait::timeline {

struct PlannedTrack {
  std::string key;  // as the derived track will have it
  std::string title;
  std::string type;
  uint32_t group = kNoGroup;
  int order = 0;
  uint32_t lanes = 1;
  bool counter = false;  // draws a curve
};

// Plans tracks of every device that did something: steps, programs, scopes, collectives, idle time, copies
// and memory. `book` is the book of the capture. O(events of devices + argument sets).
std::vector<PlannedTrack> PlanDerived(const Timeline& timeline, const Book& book);

}  // namespace gait::timeline
