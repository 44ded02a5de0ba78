// The tree of tracks and the dictionary of names as JSON (docs/http.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gait/timeline/book.h"
#include "gait/timeline/derive/plan.h"
#include "gait/timeline/tracks.h"

namespace gait::serve {

struct TreeParts {
  const timeline::Timeline& timeline;
  const std::vector<const timeline::TimelineTrack*>& tracks;  // those to show
  Interval span;
  size_t names = 0;  // how many the dictionary has
  // Derived tracks that are not made yet; null: all are made.
  const std::vector<timeline::PlannedTrack>* planned = nullptr;
};
std::string TracksJson(const TreeParts& parts);

// `ids` are names of the book; the first one has the number `from` of `total`.
std::string NamesJson(const timeline::Book& book, std::span<const uint32_t> ids, size_t from, size_t total);

}  // namespace gait::serve
