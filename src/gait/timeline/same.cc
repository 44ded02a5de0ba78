#include "gait/timeline/same.h"

#include <algorithm>
#include <cmath>

namespace gait::timeline {
namespace {

constexpr size_t kBars = 40;

}  // namespace

Histogram HistogramOf(const std::vector<Ps>& values) {
  Histogram histogram;
  if (values.empty()) return histogram;
  const auto [least, most] = std::ranges::minmax_element(values);
  const auto low = static_cast<double>(least->value());
  const auto high = static_cast<double>(most->value());
  const bool logarithmic = low > 0 && high > 10 * low;
  histogram.edges.push_back(*least);
  for (size_t i = 1; i < kBars; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(kBars);
    const double edge = logarithmic ? low * std::pow(high / low, part) : low + (high - low) * part;
    const Ps at = std::min(Ps(std::llround(edge)), *most);
    // Few different durations make fewer bars.
    if (at > histogram.edges.back()) histogram.edges.push_back(at);
  }
  if (histogram.edges.back() < *most || histogram.edges.size() == 1) histogram.edges.push_back(*most);
  histogram.counts.resize(histogram.edges.size() - 1);
  for (const Ps value : values) {
    const auto above = std::ranges::upper_bound(histogram.edges, value) - histogram.edges.begin();
    ++histogram.counts[std::min(static_cast<size_t>(above - 1), histogram.counts.size() - 1)];
  }
  return histogram;
}

SameSlices FindSame(const Book& book, SliceRef slice, SameBy by) {
  const TimelineTrack& track = *book.tracks[slice.track];
  const uint32_t id = track.names[slice.event];
  SearchQuery query;
  for (const TimelineTrack* other : book.tracks) {
    if (AreAlike(track, *other)) query.tracks.push_back(other->id);
  }
  if (by == SameBy::kOperation) {
    query.name_ids = {id};
  } else {
    for (uint32_t other = 0; other < book.names.size(); ++other) {
      if (book.names[other]->text() == book.names[id]->text()) query.name_ids.push_back(other);
    }
  }
  // Nothing in the query can be wrong.
  const SearchResult found = Search(book, query).value_or(SearchResult{});
  SameSlices same;
  same.count = found.total;
  same.total = found.time;
  std::vector<Ps> durations;
  durations.reserve(found.matches.size());
  for (const SliceRef& match : found.matches) {
    durations.push_back(book.tracks[match.track]->events().duration(EventIndex(match.event)));
  }
  if (durations.empty()) return same;
  same.histogram = HistogramOf(durations);
  same.statistics = analyze::StatisticsOf(durations);
  const auto at = std::ranges::lower_bound(found.matches, slice);
  same.position = static_cast<size_t>(at - found.matches.begin());
  if (at != found.matches.begin()) same.previous = *std::prev(at);
  if (at != found.matches.end() && std::next(at) != found.matches.end()) same.next = *std::next(at);
  return same;
}

}  // namespace gait::timeline
