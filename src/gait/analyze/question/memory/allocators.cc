#include "gait/analyze/question/memory/allocators.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "gait/analyze/question/memory/live_set.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

// Arguments of an allocator's event that matter, by their keys.
struct Keys {
  StringId allocator, in_use, available, reserved, fragmentation, peak, requested, given, address, index;

  explicit Keys(const StringPool& strings) {
    const auto key = [&](std::string_view name) { return strings.Find(name).value_or(StringId()); };
    allocator = key("allocator_name");
    in_use = key("bytes_allocated");
    available = key("bytes_available");
    reserved = key("bytes_reserved");
    fragmentation = key("fragmentation");
    peak = key("peak_bytes_in_use");
    requested = key("requested_bytes");
    given = key("allocation_bytes");
    address = key("addr");
    index = key("index_on_host");
  }
};

struct Arguments {
  StringId allocator;
  std::optional<int64_t> in_use, available, reserved, peak, requested, given, address, index;
  std::optional<double> fragmentation;
};

// Numbers of a file, bounded so that sums of them stay in range.
std::optional<int64_t> Bounded(ArgValue value) {
  constexpr int64_t kMost = int64_t{1} << 60;
  const std::optional<int64_t> n = value.integer();
  return n ? std::optional(std::clamp(*n, -kMost, kMost)) : n;
}

Arguments Read(const Trace& trace, EventRef event, const Keys& keys) {
  Arguments a;
  trace.ForEachArg(event, [&](StringId key, ArgValue value) {
    if (key == keys.allocator && value.is_string()) a.allocator = value.string();
    if (key == keys.in_use) a.in_use = Bounded(value);
    if (key == keys.available) a.available = Bounded(value);
    if (key == keys.reserved) a.reserved = Bounded(value);
    if (key == keys.peak) a.peak = Bounded(value);
    if (key == keys.requested) a.requested = Bounded(value);
    if (key == keys.given) a.given = Bounded(value);
    if (key == keys.address) a.address = value.integer();
    if (key == keys.index) a.index = value.integer();
    if (key == keys.fragmentation) a.fragmentation = value.number();
  });
  return a;
}

// Old profiles write what a deallocation gave back as a negative size.
std::optional<int64_t> Size(const Arguments& a) {
  const std::optional<int64_t>& size = a.given ? a.given : a.requested;
  return size ? std::optional(std::abs(*size)) : std::nullopt;
}

bool IsOfHost(std::string_view name) { return name.find("host") != std::string_view::npos; }

// The number in "GPU_0_bfc"; nullopt for an allocator of the host.
std::optional<int64_t> OrdinalIn(std::string_view name) {
  const size_t digit = name.find_first_of("0123456789");
  if (digit == std::string_view::npos || IsOfHost(name)) return std::nullopt;
  int64_t number = 0;
  for (size_t i = digit;
       i < name.size() && number < 1'000'000 && std::isdigit(static_cast<unsigned char>(name[i])) != 0; ++i)
    number = 10 * number + (name[i] - '0');
  return number;
}

PlaneId DeviceOf(const Trace& trace, std::optional<int64_t> ordinal) {
  for (size_t p = 0; ordinal && p < trace.planes().size(); ++p) {
    const Plane& plane = trace.planes()[p];
    if (plane.is_device() && plane.ordinal == ordinal) return PlaneId(p);
  }
  return {};
}

class Finder {
 public:
  Finder(const HostView& host, const Selection& selection)
      : host_(host), trace_(host.trace()), selection_(selection), keys_(trace_.strings()), context_(host) {}

  std::vector<Allocator> Find() {
    Collect();
    std::vector<Allocator> result;
    for (auto& [key, allocator] : found_) {
      if (!Selected(allocator)) continue;
      std::ranges::stable_sort(allocator.events, {}, &AllocationEvent::time);
      Summarize(allocator);
      result.push_back(std::move(allocator));
    }
    std::ranges::stable_sort(result, {},
                             [](const Allocator& a) { return std::tuple(a.space, a.device, a.name); });
    return result;
  }

 private:
  using Key = std::pair<uint32_t, int64_t>;  // name of the allocator, index of the device

  void Collect() {
    const auto allocates = trace_.strings().Find(NameOf(RuntimeCall::kAllocation));
    const auto frees = trace_.strings().Find(NameOf(RuntimeCall::kDeallocation));
    if (!allocates && !frees) return;
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        const StringId name = track.name(EventIndex(i));
        if (name != allocates && name != frees) continue;
        const EventRef ref = {TrackId(t), EventIndex(i)};
        const Arguments a = Read(trace_, ref, keys_);
        Allocator& allocator = Of(a);
        if (a.peak && a.peak > allocator.lifetime_peak) allocator.lifetime_peak = a.peak;
        const int64_t reserved = std::max<int64_t>(0, a.reserved.value_or(0));
        allocator.events.push_back({track.begin(EventIndex(i)), ref, name == allocates, Size(a), a.address,
                                    reserved, a.in_use ? *a.in_use + reserved : -1});
      }
    }
  }

  Allocator& Of(const Arguments& a) {
    const Key key = {a.allocator.value, a.index.value_or(-1)};
    const auto [at, added] = found_.try_emplace(key);
    Allocator& allocator = at->second;
    if (!added) return allocator;
    allocator.name = trace_.text(a.allocator);
    const std::optional<int64_t> ordinal = a.index ? a.index : OrdinalIn(allocator.name);
    if (IsOfHost(allocator.name)) allocator.space = MemorySpace::kHost;
    allocator.device = allocator.space == MemorySpace::kHost ? "host" : "unknown device";
    if (allocator.space == MemorySpace::kDevice) allocator.plane = DeviceOf(trace_, ordinal);
    if (allocator.plane.valid()) {
      const Plane& plane = trace_.plane(allocator.plane);
      allocator.device = DeviceName(trace_, plane);
      if (const auto size = trace_.FindArg(plane.args, "memory_size"))
        allocator.device_memory = Bounded(*size);
    }
    if (allocator.name.empty()) allocator.name = a.index ? fmt::format("device {}", *a.index) : "unnamed";
    return allocator;
  }

  bool Selected(const Allocator& allocator) const {
    if (selection_.device.empty()) return true;
    return std::ranges::any_of(host_.devices, [&](const Device& d) { return d.plane == allocator.plane; });
  }

  Interval Window() const {
    Interval window = {-kMaxTime, kMaxTime};
    if (!selection_.has_steps() || host_.series.empty() || host_.series[0].steps.empty()) return window;
    window = host_.series[0].steps.front().host;
    for (const Step& step : host_.series[0].steps) {
      window.end = std::max(window.end, step.host.end);
      for (const Interval time : step.time) window.end = std::max(window.end, time.end);
    }
    return window;
  }

  void Summarize(Allocator& allocator) {
    // What events do not say themselves.
    int64_t total = 0;
    for (size_t i = 0; i < allocator.events.size(); ++i) {
      AllocationEvent& e = allocator.events[i];
      const int64_t change = (e.allocates ? 1 : -1) * e.bytes.value_or(0);
      if (e.in_use < 0) e.in_use = std::max<int64_t>(0, total + change);
      if (i == 0) allocator.before = std::max<int64_t>(0, e.in_use - change);
      total = e.in_use;
    }
    const Arguments first = Read(trace_, allocator.events.front().event, keys_);
    if (first.peak > first.in_use) allocator.peak_before = first.peak;
    const Interval window = Window();
    std::vector<MemoryPoint> points;
    std::optional<size_t> peak;
    int64_t found = allocator.before;
    for (size_t i = 0; i < allocator.events.size(); ++i) {
      const AllocationEvent& e = allocator.events[i];
      if (e.time < window.begin) found = e.in_use;
      if (e.time < window.begin || e.time >= window.end) continue;
      (e.allocates ? allocator.allocations : allocator.deallocations) += 1;
      if (e.allocates) allocator.allocated_bytes += e.bytes.value_or(0);
      points.push_back({e.time, e.in_use});
      if (!peak || e.in_use > allocator.events[*peak].in_use) peak = i;
    }
    if (!peak) {
      allocator.peak = found;
      return;
    }
    const bool fell = found > allocator.events[*peak].in_use;  // from what the window found
    allocator.peak = fell ? found : allocator.events[*peak].in_use;
    allocator.peak_time = fell ? points.front().time : allocator.events[*peak].time;
    if (fell) points.insert(points.begin(), {allocator.peak_time, found});
    AtThePeak(allocator, *peak, fell);
    allocator.timeline = Downsample(points, kTimelinePoints);
  }

  void AtThePeak(Allocator& allocator, size_t peak, bool fell) {
    const Arguments at = Read(trace_, allocator.events[peak].event, keys_);
    allocator.fragmentation = at.fragmentation;
    if (at.in_use && at.available) allocator.limit = allocator.events[peak].in_use + *at.available;
    if (!host_.series.empty()) {
      for (const Step& step : host_.series[0].steps) {
        if (step.host.contains(allocator.peak_time)) allocator.peak_step = step.number;
      }
    }
    const auto first =
        std::ranges::lower_bound(allocator.events, allocator.peak_time, {}, &AllocationEvent::time);
    allocator.live =
        LiveSet(allocator, fell ? static_cast<size_t>(first - allocator.events.begin()) : peak + 1);
  }

  // Of the first `until` events.
  std::vector<LiveAllocation> LiveSet(const Allocator& allocator, size_t until) {
    std::unordered_map<int64_t, const AllocationEvent*> live;  // by address
    for (size_t i = 0; i < until; ++i) {
      const AllocationEvent& e = allocator.events[i];
      if (!e.address) continue;
      if (e.allocates) {
        live[*e.address] = &e;
      } else {
        live.erase(*e.address);
      }
    }
    std::unordered_map<int64_t, Ps> given_back;  // by address, of what is live
    for (size_t i = until; i < allocator.events.size(); ++i) {
      const AllocationEvent& e = allocator.events[i];
      if (!e.allocates && e.address && live.contains(*e.address)) given_back.try_emplace(*e.address, e.time);
    }
    std::map<std::tuple<LiveKind, std::string, std::string, std::string>, LiveAllocation> alike;
    int64_t known = 0;
    for (size_t i = 0; i < until; ++i) {
      const AllocationEvent& e = allocator.events[i];
      const auto at = e.address ? live.find(*e.address) : live.end();
      if (at == live.end() || at->second != &e || !e.bytes) continue;
      const auto back = given_back.find(*e.address);
      LiveAllocation one =
          context_.Describe(e, back == given_back.end() ? std::nullopt : std::optional(back->second));
      LiveAllocation& sum =
          alike.try_emplace({one.kind, one.program, one.operation, one.shape}, one).first->second;
      sum.bytes += *e.bytes;
      sum.count += 1;
      known += *e.bytes;
    }
    std::vector<LiveAllocation> result;
    for (auto& [key, one] : alike) result.push_back(std::move(one));
    if (const int64_t reserved = allocator.events[until > 0 ? until - 1 : 0].reserved; reserved > 0) {
      LiveAllocation kept;
      kept.kind = LiveKind::kReserved;
      kept.bytes = reserved;
      known += reserved;
      result.push_back(std::move(kept));
    }
    if (known != allocator.peak) {
      LiveAllocation rest;
      rest.kind = LiveKind::kBefore;
      rest.bytes = allocator.peak - known;
      result.push_back(std::move(rest));
    }
    std::ranges::stable_sort(result, std::ranges::greater(), &LiveAllocation::bytes);
    return result;
  }

  const HostView& host_;
  const Trace& trace_;
  const Selection& selection_;
  Keys keys_;
  AllocationContext context_;
  std::map<Key, Allocator> found_;
};

}  // namespace

std::string_view Name(MemorySpace space) { return space == MemorySpace::kDevice ? "device" : "host"; }

std::string_view Name(LiveKind kind) {
  static constexpr std::array<std::string_view, 7> kNames = {"before",      "temporaries", "output", "input",
                                                             "compilation", "reserved",    "other"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<MemoryPoint> Downsample(const std::vector<MemoryPoint>& points, size_t most) {
  if (points.size() <= most || most < 2) return points;
  const size_t parts = most / 2;
  const Ps begin = points.front().time;
  const Int128 span = std::max<Int128>(1, (points.back().time - begin).value() + Int128{1});
  std::vector<MemoryPoint> result;
  for (size_t i = 0; i < points.size();) {
    const auto part = [&](size_t p) {
      return static_cast<size_t>(Int128{(points[p].time - begin).value()} * static_cast<Int128>(parts) /
                                 span);
    };
    const size_t mine = part(i);
    size_t low = i;
    size_t high = i;
    for (; i < points.size() && part(i) == mine; ++i) {
      if (points[i].in_use < points[low].in_use) low = i;
      if (points[i].in_use > points[high].in_use) high = i;
    }
    result.push_back(points[std::min(low, high)]);
    if (low != high) result.push_back(points[std::max(low, high)]);
  }
  return result;
}

std::vector<Allocator> FindAllocators(const HostView& host, const Selection& selection) {
  return Finder(host, selection).Find();
}

std::vector<NamedAllocator> NamedAllocators(const Trace& trace) {
  const std::optional<StringId> key = trace.strings().Find("allocator_name");
  if (!key) return {};
  std::set<StringId> names;
  for (size_t i = 0; i < trace.arg_sets().size(); ++i) {
    for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(i)]) {
      const ArgValue value{entry.type, entry.bits};
      if (entry.key == *key && !entry.varying && value.is_string()) names.insert(value.string());
    }
  }
  std::vector<NamedAllocator> found;
  for (const StringId name : names) {
    std::string text(trace.text(name));
    const PlaneId device = DeviceOf(trace, OrdinalIn(text));
    found.push_back({std::move(text), device});
  }
  std::ranges::sort(found, {}, &NamedAllocator::name);
  return found;
}

}  // namespace gait::analyze
