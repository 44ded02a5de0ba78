// Flame: nested slices as a tree of calls, merged by name.
//
//   total   of a node: the time of its slices inside the window
//   self    its total less the totals of the nodes below it
//   count   slices that reach into the window
// A slice is a child of the last slice of its track that contains it wholly. The totals of the roots sum to
// the busy time of the tracks, if slices overlap only by containment.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gait/base/units.h"
#include "gait/report/table.h"
#include "gait/timeline/book.h"

namespace gait::timeline {

struct FlameNode {
  std::string name;
  uint32_t name_id = 0;  // of its first slice
  int depth = 0;
  Ps total;
  Ps self;
  uint64_t count = 0;
};

class FlameTree {
 public:
  // `text` gives the name of an id. The names must stay valid.
  explicit FlameTree(std::function<std::string_view(uint32_t)> text) : text_(std::move(text)) {}

  // Slices of one track in order of begin, the longer first; `names` are by event. O(slices).
  void Add(const Track& track, std::span<const uint32_t> names, std::span<const EventIndex> slices,
           Interval window);

  // The nodes depth first, the largest first, without nodes below the share `least` of the whole. The number
  // of nodes left out goes to left_out.
  std::vector<FlameNode> Nodes(double least, uint64_t& left_out) const;

 private:
  struct Node {
    uint32_t name_id = 0;
    Ps total;
    Ps below;
    uint64_t count = 0;
    std::vector<size_t> children;
  };
  size_t ChildOf(size_t parent, uint32_t name_id);

  std::function<std::string_view(uint32_t)> text_;
  std::vector<Node> nodes_{1};  // the first holds the roots
  std::vector<std::unordered_map<std::string_view, size_t>> by_name_{1};
};

struct FlameQuery {
  Interval window;               // on the run's clock
  std::vector<uint32_t> tracks;  // by number
  std::stop_token stop{};        // nobody waits any more: what is returned then is not whole
};

report::Document FlameDocument(const Book& book, const FlameQuery& query, const analyze::LoadedRun& run);

}  // namespace gait::timeline
