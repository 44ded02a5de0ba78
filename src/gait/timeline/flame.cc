#include "gait/timeline/flame.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/time/durations.h"
#include "gait/report/numbers.h"
#include "gait/report/table_of.h"
#include "gait/timeline/reach.h"

namespace gait::timeline {
namespace {

constexpr double kLeast = 0.0005;  // of the whole: narrower than a pixel

}  // namespace

size_t FlameTree::ChildOf(size_t parent, uint32_t name_id) {
  const auto [found, added] = by_name_[parent].try_emplace(text_(name_id), nodes_.size());
  const size_t child = found->second;
  if (!added) return child;
  nodes_[parent].children.push_back(child);
  nodes_.emplace_back().name_id = name_id;
  by_name_.emplace_back();
  return child;
}

void FlameTree::Add(const Track& track, std::span<const uint32_t> names, std::span<const EventIndex> slices,
                    Interval window) {
  struct Open {
    size_t node;
    Ps end;
  };
  std::vector<Open> open;
  for (const EventIndex e : slices) {
    const Interval slice = track.interval(e);
    while (!open.empty() && (open.back().end < slice.end || open.back().end <= slice.begin)) open.pop_back();
    const size_t parent = open.empty() ? 0 : open.back().node;
    const size_t node = ChildOf(parent, names[e.value]);
    const Ps inside = std::max(std::min(slice.end, window.end) - std::max(slice.begin, window.begin), Ps());
    nodes_[node].total = analyze::SaturatedSum(nodes_[node].total, inside);
    nodes_[parent].below = analyze::SaturatedSum(nodes_[parent].below, inside);
    ++nodes_[node].count;
    open.push_back({node, slice.end});
  }
}

std::vector<FlameNode> FlameTree::Nodes(double least, uint64_t& left_out) const {
  const auto limit = static_cast<int64_t>(least * static_cast<double>(nodes_[0].below.value()));
  std::vector<FlameNode> out;
  struct Next {
    size_t node;
    int depth;
  };
  std::vector<Next> next;
  const auto push_children = [&](size_t of, int depth) {
    std::vector<size_t> children = nodes_[of].children;
    std::ranges::stable_sort(children, std::ranges::less(), [&](size_t c) { return nodes_[c].total; });
    for (const size_t child : children) {
      if (nodes_[child].total.value() < limit) {
        ++left_out;
      } else {
        next.push_back({child, depth});
      }
    }
  };
  push_children(0, 0);
  while (!next.empty()) {
    const auto [at, depth] = next.back();
    next.pop_back();
    const Node& node = nodes_[at];
    out.push_back({std::string(text_(node.name_id)), node.name_id, depth, node.total,
                   std::max(node.total - node.below, Ps()), node.count});
    push_children(at, depth + 1);
  }
  return out;
}

report::Document FlameDocument(const Book& book, const FlameQuery& query, const analyze::LoadedRun& run) {
  FlameTree tree([&](uint32_t id) { return book.names[id]->text(); });
  for (const uint32_t t : query.tracks) {
    const TimelineTrack& track = *book.tracks[t];
    if (track.counter || query.stop.stop_requested()) continue;
    tree.Add(track.events(), track.names, Reaching(track, query.window), query.window);
  }
  uint64_t left_out = 0;
  const std::vector<FlameNode> nodes = tree.Nodes(kLeast, left_out);

  report::Document document = analyze::NewDocument("flame", run);
  report::TableOf<FlameNode> t({.name = "flame", .title = "name", .depth = "depth"});
  t.Add("name", {.elastic = true}, "the call", &FlameNode::name);
  t.Hidden("depth", "how many calls are around it", &FlameNode::depth);
  t.Add("total", "its time, calls inside it included", &FlameNode::total);
  t.Add("self", "its time without the calls inside it", &FlameNode::self);
  t.Add("count", "how often it was called", &FlameNode::count);
  t.Hidden("name_id", "of its first slice", &FlameNode::name_id);
  uint64_t slices = 0;
  for (const FlameNode& node : nodes) slices += node.count;
  document.answer =
      fmt::format("{} in {}.", report::Plural(slices, "slice"), report::Plural(nodes.size(), "call"));
  if (left_out > 0) {
    document.notes.push_back(
        fmt::format("{} below {} % of the time left out", report::Plural(left_out, "call"), 100 * kLeast));
  }
  document.tables.push_back(t.Of(nodes));
  return document;
}

}  // namespace gait::timeline
