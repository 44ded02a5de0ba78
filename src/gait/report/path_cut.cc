#include "gait/report/path_cut.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/report/unicode.h"

namespace gait::report {
namespace {

constexpr size_t kNarrow = 8;  // a component that differs still says something

using Components = std::vector<std::string_view>;  // the last one first

Components Split(std::string_view path) {
  Components components;
  for (size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
    components.push_back(path.substr(slash + 1));
    path = path.substr(0, slash);
  }
  components.push_back(path);
  return components;
}

size_t SharedBytes(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// The components at one place of all paths.
struct Place {
  std::vector<std::string_view> texts;
  std::unordered_map<std::string_view, size_t> differs;
  size_t width = 0;  // cells that each may take
  size_t paths = 0;
  bool same = true;

  void Add(std::string_view text) {
    same = same && (texts.empty() || texts.front() == text);
    width = std::max(width, DisplayWidth(text));
    texts.push_back(text);
    ++paths;
  }
  size_t floor() const { return same ? 1 : kNarrow; }

  // Where each stops being like the one that is most like it: in order that is one of its neighbours.
  void Compare() {
    std::ranges::sort(texts);
    texts.erase(std::ranges::unique(texts).begin(), texts.end());
    for (size_t i = 0; i < texts.size(); ++i) {
      const size_t before = i > 0 ? SharedBytes(texts[i - 1], texts[i]) : 0;
      const size_t after = i + 1 < texts.size() ? SharedBytes(texts[i], texts[i + 1]) : 0;
      differs[texts[i]] = std::max(before, after);
    }
  }

  std::string Cut(std::string_view text, size_t cells) const {
    if (DisplayWidth(text) <= cells) return std::string(text);
    if (same) return CutMiddle(text, cells, paths > 1 ? 1 : 0.5);
    const size_t place = differs.at(text);
    const size_t room = cells - 1;
    const size_t tail = DisplayWidth(text.substr(place));
    if (tail > room) return CutAround(text, place, cells, 0.3);
    const size_t head = std::min(room / 2, room - tail);
    return CutMiddle(text, cells, static_cast<double>(head) / static_cast<double>(room));
  }
};

// The one that gives a cell next; null: none can.
Place* WhoGives(std::vector<Place>& places) {
  Place* found = nullptr;
  for (Place& place : places) {
    if (place.width <= place.floor()) continue;
    if (found == nullptr || (place.same && !found->same) ||
        (place.same == found->same && place.width > found->width)) {
      found = &place;
    }
  }
  return found;
}

std::string Join(const std::vector<Place>& places, const Components& path,
                 const std::vector<size_t>& widths) {
  std::string joined;
  for (size_t i = path.size(); i-- > 0;) {
    const std::string part = places[i].Cut(path[i], widths[i]);
    if (part == "…" && joined.ends_with("…/")) continue;
    joined += part;
    if (i > 0) joined += '/';
  }
  return joined;
}

// With what is left of the width, where the others need more than this one.
std::string Widened(const std::vector<Place>& places, const Components& path, std::vector<size_t> widths,
                    size_t width) {
  std::string joined = Join(places, path, widths);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < path.size(); ++i) {
      if (widths[i] >= DisplayWidth(path[i])) continue;
      ++widths[i];
      std::string wider = Join(places, path, widths);
      if (DisplayWidth(wider) > width) {
        --widths[i];
        continue;
      }
      joined = std::move(wider);
      more = true;
    }
  }
  return joined;
}

}  // namespace

std::unordered_map<std::string, std::string> CutPaths(std::span<const std::string> paths, size_t width) {
  std::vector<Components> split;
  std::vector<Place> places;
  for (const std::string& path : paths) {
    split.push_back(Split(path));
    const Components& components = split.back();
    if (places.size() < components.size()) places.resize(components.size());
    for (size_t i = 0; i < components.size(); ++i) places[i].Add(components[i]);
  }
  for (Place& place : places) place.Compare();
  std::vector<size_t> widths;
  const auto widest = [&] {
    widths.clear();
    for (const Place& place : places) widths.push_back(place.width);
    size_t most = 0;
    for (const Components& path : split) most = std::max(most, DisplayWidth(Join(places, path, widths)));
    return most;
  };
  while (widest() > width) {
    Place* const place = WhoGives(places);
    if (place == nullptr) break;
    --place->width;
  }
  std::unordered_map<std::string, std::string> cut;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (DisplayWidth(paths[i]) > width)
      cut[paths[i]] = CutMiddle(Widened(places, split[i], widths, width), width);
  }
  return cut;
}

}  // namespace gait::report
