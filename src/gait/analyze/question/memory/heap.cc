#include "gait/analyze/question/memory/heap.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/base/pattern.h"

namespace gait::analyze {
namespace {

// The frames of a sample that tell it from others: those outside JAX, or all where none is.
std::vector<HeapFrame> Telling(const HeapProfile& profile, const HeapSample& sample) {
  std::vector<HeapFrame> frames;
  for (const uint32_t index : sample.stack) {
    if (!IsOfJax(profile.frames[index])) frames.push_back(profile.frames[index]);
  }
  if (!frames.empty()) return frames;
  for (const uint32_t index : sample.stack) frames.push_back(profile.frames[index]);
  return frames;
}

}  // namespace

Result<void> SelectDevice(std::vector<HeapProfile>& profiles, const std::string& wish) {
  if (wish.empty()) return {};
  std::set<std::string> devices;
  for (const HeapProfile& profile : profiles) {
    for (const HeapSample& sample : profile.samples) {
      if (!sample.device.empty()) devices.insert(sample.device);
    }
  }
  const auto is_meant = [&](const std::string& device) {
    return device == wish || device.substr(device.find_last_of(":_") + 1) == wish;
  };
  std::set<std::string> chosen;
  std::ranges::copy_if(devices, std::inserter(chosen, chosen.end()), is_meant);
  if (chosen.empty()) {
    GAIT_TRY(const Pattern pattern, Pattern::Compile(wish));
    for (const std::string& device : devices) {
      if (pattern.Matches(device)) chosen.insert(device);
    }
  }
  if (chosen.empty()) {
    return UsageError(fmt::format("no device of these profiles is called '{}'.", wish),
                      fmt::format("They have: {}", fmt::join(devices, ", ")));
  }
  for (HeapProfile& profile : profiles) {
    std::erase_if(profile.samples, [&](const HeapSample& sample) { return !chosen.contains(sample.device); });
  }
  return {};
}

// People's own programs, too, lie below folders that are called jax.
bool IsOfJax(const HeapFrame& frame) {
  const std::string path = "/" + frame.file;
  return std::ranges::any_of(std::array{"/jax/_src/", "/jax/experimental/", "-packages/jax/", "/jaxlib/"},
                             [&](const char* folder) { return path.find(folder) != std::string::npos; });
}

std::string PlaceText(const HeapFrame& frame) {
  if (frame.function.empty() && frame.file.empty()) return "no traceback";
  return fmt::format("{} ({}:{})", frame.function, frame.file, frame.line);
}

HeapSummary Summarize(const HeapProfile& profile) {
  HeapSummary summary;
  std::map<std::pair<std::string, std::string>, HeapTotal> totals;
  std::map<HeapFrame, HeapPlace> places;
  for (const HeapSample& sample : profile.samples) {
    const int64_t bytes = sample.bytes.value_or(0);
    summary.bytes += bytes;
    summary.count += sample.count;
    HeapTotal& total = totals[{sample.kind, sample.device}];
    total.bytes += bytes;
    total.count += sample.count;
    if (!sample.bytes) total.unknown += sample.count;
    const std::vector<HeapFrame> telling = Telling(profile, sample);
    HeapPlace& flat = places[telling.empty() ? HeapFrame{} : telling.front()];
    flat.flat += bytes;
    flat.flat_count += sample.count;
    std::set<HeapFrame> seen;
    for (const uint32_t index : sample.stack) seen.insert(profile.frames[index]);
    if (sample.stack.empty()) seen.insert(HeapFrame{});
    for (const HeapFrame& frame : seen) {
      places[frame].cumulative += bytes;
      places[frame].cumulative_count += sample.count;
    }
  }
  for (auto& [key, total] : totals) {
    total.kind = key.first;
    total.device = key.second;
    summary.totals.push_back(std::move(total));
  }
  for (auto& [frame, place] : places) {
    place.frame = frame;
    summary.places.push_back(std::move(place));
  }
  std::ranges::stable_sort(summary.totals, std::ranges::greater(), &HeapTotal::bytes);
  std::ranges::stable_sort(summary.places, std::ranges::greater(),
                           [](const HeapPlace& p) { return std::tuple(p.flat, p.cumulative, p.flat_count); });
  return summary;
}

std::string_view Name(HeapState state) {
  static constexpr std::array<std::string_view, 5> kNames = {"new", "gone", "grown", "shrunk", "same"};
  return kNames[static_cast<size_t>(state)];
}

HeapState HeapStack::state() const {
  if (counts.front() == 0 && counts.back() > 0) return HeapState::kNew;
  if (counts.front() > 0 && counts.back() == 0) return HeapState::kGone;
  if (change() == 0) return HeapState::kSame;
  return change() > 0 ? HeapState::kGrown : HeapState::kShrunk;
}

bool HeapStack::leaks() const {
  if (bytes.size() < 3) return false;
  return std::ranges::adjacent_find(bytes, std::ranges::greater_equal()) == bytes.end();
}

std::vector<HeapStack> CompareHeaps(std::span<const HeapProfile> profiles) {
  std::map<std::pair<std::vector<HeapFrame>, std::string>, HeapStack> stacks;
  for (size_t p = 0; p < profiles.size(); ++p) {
    for (const HeapSample& sample : profiles[p].samples) {
      HeapStack& stack = stacks[{Telling(profiles[p], sample), sample.kind}];
      if (!sample.device.empty()) stack.devices.insert(sample.device);
      stack.bytes.resize(profiles.size());
      stack.counts.resize(profiles.size());
      stack.bytes[p] += sample.bytes.value_or(0);
      stack.counts[p] += sample.count;
    }
  }
  std::vector<HeapStack> result;
  for (auto& [key, stack] : stacks) {
    std::tie(stack.frames, stack.kind) = key;
    result.push_back(std::move(stack));
  }
  std::ranges::stable_sort(result, [](const HeapStack& a, const HeapStack& b) {
    const auto rank = [](const HeapStack& s) {
      return std::tuple(s.leaks(), std::abs(s.change()), s.bytes.back());
    };
    return rank(a) > rank(b);
  });
  return result;
}

}  // namespace gait::analyze
