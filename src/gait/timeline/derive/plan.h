// Where derived tracks will be, known before they are made: from the names of the capture alone, so that the
// first picture can keep their places free. A guess: one that turns out to be empty is not there in the end.
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

// Of every device that did something: steps, programs, scopes, collectives, idle time, copies and memory.
// `book` is of the capture. O(events of devices + argument sets).
std::vector<PlannedTrack> PlanDerived(const Timeline& timeline, const Book& book);

}  // namespace gait::timeline
