#include "gait/analyze/verdict/doctor/interruptions.h"

#include <algorithm>

#include "gait/analyze/host/host_activity.h"

namespace gait::analyze {
namespace {

// By name: what it says. Each name is looked at once.
class NameTable {
 public:
  explicit NameTable(const Trace& trace) : trace_(trace), known_(trace.strings().size(), kUnseen) {}

  std::optional<Interruption> operator[](StringId name) {
    uint8_t& known = known_[name.value];
    if (known == kUnseen) {
      const std::optional<Interruption> found = InterruptionOfName(trace_.text(name));
      known = found ? static_cast<uint8_t>(*found) : kNothing;
    }
    return known == kNothing ? std::nullopt : std::optional(static_cast<Interruption>(known));
  }

 private:
  static constexpr uint8_t kUnseen = 0xff;
  static constexpr uint8_t kNothing = 0xfe;

  const Trace& trace_;
  std::vector<uint8_t> known_;
};

// Whether the loop runs in it, and not it in the loop.
bool HoldsTheLoop(const HostView& host, Interval event) {
  if (!host.series.empty()) {
    const std::vector<Step>& steps = host.series[0].steps;  // in order of begin
    const auto first =
        std::ranges::lower_bound(steps, event.begin, {}, [](const Step& s) { return s.host.begin; });
    return first != steps.end() && event.contains(first->host);
  }
  if (host.windows.empty() || host.windows[0].empty()) return false;
  const Interval all{host.windows[0].front().begin, host.windows[0].back().end};
  const Ps inside = std::min(event.end, all.end) - std::max(event.begin, all.begin);
  return inside * 2 > all.length();
}

}  // namespace

Interruptions::Interruptions(const HostView& host) {
  const HostActivity& activity = ActivityOf(host);
  const TrackId id = activity.python_thread();
  if (!id.valid()) return;
  const Track& thread = host.trace().track(id);
  NameTable names(host.trace());
  for (size_t i = 0; i < thread.size(); ++i) {
    const EventIndex event(i);
    const std::optional<Interruption> kind = names[thread.name(event)];
    if (!kind) continue;
    const HostKind named = activity.kind({id, event});
    if (named != HostKind::kAnnotation && named != HostKind::kPython) continue;
    const Interval time = thread.interval(event);
    std::vector<Stretch>& known = of_[static_cast<size_t>(*kind)];
    const bool inside = !known.empty() && time.begin < known.back().time.end;
    if (inside || time.empty() || HoldsTheLoop(host, time)) continue;
    known.push_back({time, thread.name(event)});
  }
}

void Interruptions::ForEachIn(Interruption kind, Interval interval, auto f) const {
  const std::vector<Stretch>& all = of(kind);
  auto at = std::ranges::upper_bound(all, interval.begin, {}, [](const Stretch& s) { return s.time.end; });
  for (; at != all.end() && at->time.begin < interval.end; ++at) {
    f(*at, std::min(at->time.end, interval.end) - std::max(at->time.begin, interval.begin));
  }
}

Ps Interruptions::Within(Interruption kind, Interval interval) const {
  Ps within;
  ForEachIn(kind, interval, [&](const Stretch&, Ps part) { within += part; });
  return within;
}

const Interruptions::Stretch* Interruptions::At(Interruption kind, Interval interval) const {
  const Stretch* best = nullptr;
  Ps most;
  ForEachIn(kind, interval, [&](const Stretch& stretch, Ps part) {
    if (part <= most) return;
    most = part;
    best = &stretch;
  });
  return best;
}

const Interruptions& InterruptionsOf(const HostView& host) {
  return host.memo->Get<Interruptions>([&] { return Interruptions(host); });
}

}  // namespace gait::analyze
