#include "gait/read/xplane/classify.h"

#include <algorithm>
#include <charconv>

namespace gait::xplane {
namespace {

// "/device:GPU:3" and "/device:TPU:0 SparseCore 1" begin with the ordinal after the prefix.
std::optional<int64_t> Ordinal(std::string_view name, std::string_view prefix) {
  int64_t ordinal = 0;
  const char* begin = name.data() + prefix.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), ordinal);
  return error == std::errc() ? std::optional(ordinal) : std::nullopt;
}

struct NamedKind {
  std::string_view name;
  TrackKind kind;
};
constexpr NamedKind kTpuLines[] = {
    {"XLA Ops", TrackKind::kOps},
    {"Async XLA Ops", TrackKind::kAsyncOps},
    {"XLA Modules", TrackKind::kModules},
    {"Steps", TrackKind::kSteps},
    {"Sparse Core Ops", TrackKind::kOps},
    {"Sparse Core Steps", TrackKind::kSteps},
    {"Sparse Core Modules", TrackKind::kModules},
};

}  // namespace

Plane ClassifyPlane(std::string_view name, int64_t id) {
  struct Prefix {
    std::string_view text;
    PlaneKind kind;
  };
  static constexpr Prefix kDevices[] = {{"/device:GPU:", PlaneKind::kGpu},
                                        {"/device:TPU:", PlaneKind::kTpu},
                                        {"/device:CUSTOM:", PlaneKind::kCustom}};
  Plane plane;
  plane.id = id;
  for (const Prefix& prefix : kDevices) {
    if (!name.starts_with(prefix.text)) continue;
    plane.kind = prefix.kind;
    plane.ordinal = Ordinal(name, prefix.text);
    return plane;
  }
  if (name == "/host:metadata" || name == "/host:__ScopeRangeCallStack__") {
    plane.kind = PlaneKind::kMetadata;
  } else if (name == "Task Environment") {
    plane.kind = PlaneKind::kEnvironment;
  } else if (name.starts_with("/host:")) {
    plane.kind = PlaneKind::kHost;
  }
  return plane;
}

TrackKind ClassifyLine(PlaneKind plane, std::string_view name) {
  if (name == "_counters_") return TrackKind::kCounters;
  if (name == "CUPTI overhead") return TrackKind::kOverhead;
  switch (plane) {
    case PlaneKind::kHost:
      return TrackKind::kThread;
    case PlaneKind::kGpu:
      // Everything else on a GPU plane was derived from the streams by an analyser and repeats their time.
      if (name.starts_with("Stream #")) return TrackKind::kStream;
      if (name == "Steps") return TrackKind::kSteps;
      if (name == "XLA Modules") return TrackKind::kModules;
      return TrackKind::kOther;
    case PlaneKind::kTpu: {
      const auto* found = std::ranges::find(kTpuLines, name, &NamedKind::name);
      return found == std::end(kTpuLines) ? TrackKind::kOther : found->kind;
    }
    default:
      return TrackKind::kOther;
  }
}

Layout LayoutOf(TrackKind kind) {
  return kind == TrackKind::kStream || kind == TrackKind::kAsyncOps ? Layout::kLanes : Layout::kNested;
}

}  // namespace gait::xplane
