#include "gait/analyze/question/transfers/copy_origin.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/python_frames.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

constexpr size_t kDeepest = 500;  // events around each other that are looked at

// Functions of these files that only pass a call on.
constexpr std::array<std::string_view, 5> kWrappers = {
    "wrapper", "wrapped", "reraise_with_filtered_traceback", "cache_miss", "__call__"};

// Events that continue a flow or begin one.
struct FlowEnd {
  int64_t type;
  uint64_t id;
  Ps begin;
  EventRef event;
};

bool SameFlow(const FlowEnd& a, const FlowEnd& b) { return a.type == b.type && a.id == b.id; }

class Threads {
 public:
  explicit Threads(const Trace& trace) : trace_(trace), continuing_(trace.tracks().size()) {
    const StringId c = Key("_c");
    const StringId ct = Key("_ct");
    const StringId p = Key("_p");
    const StringId pt = Key("_pt");
    std::vector<bool> flows(trace.arg_sets().size(), false);
    for (size_t s = 0; s < flows.size(); ++s) {
      flows[s] = std::ranges::any_of(trace.arg_sets()[ArgSetId(s)], [&](const ArgEntry& entry) {
        return (c.valid() && entry.key == c) || (p.valid() && entry.key == p);
      });
    }
    std::vector<bool> asks(trace.strings().size(), false);
    std::vector<bool> unstages(trace.strings().size(), false);
    for (size_t i = 0; i < asks.size(); ++i) {
      const std::string_view name = trace.text(StringId(i));
      asks[i] = Is(RuntimeCall::kFromHost, name);
      unstages[i] = Is(RuntimeCall::kFromStaging, name);
    }
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      const Track& track = trace.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        const EventRef event{TrackId(t), EventIndex(i)};
        if (asks[track.name(event.index).value]) asks_.push_back(event);
        if (unstages[track.name(event.index).value]) unstaging_.push_back(event);
        if (!flows[track.args(event.index).value]) continue;
        if (const auto id = Number(event, c); id && *id != 0) {
          continuing_[t].push_back(
              {Number(event, ct).value_or(0), static_cast<uint64_t>(*id), Begin(event), event});
        }
        if (const auto id = Number(event, p)) {
          beginning_.push_back(
              {Number(event, pt).value_or(0), static_cast<uint64_t>(*id), Begin(event), event});
        }
      }
    }
    std::ranges::sort(beginning_, {},
                      [](const FlowEnd& e) { return std::tuple(e.type, e.id, e.begin, e.event); });
    const auto by_begin = [&](EventRef a, EventRef b) {
      return std::pair(Begin(a), a) < std::pair(Begin(b), b);
    };
    std::ranges::sort(asks_, by_begin);
    std::ranges::sort(unstaging_, by_begin);
  }

  Ps Begin(EventRef event) const { return trace_.track(event.track).begin(event.index); }
  Ps End(EventRef event) const { return trace_.track(event.track).end(event.index); }
  EventRef Parent(EventRef event) const {
    return {event.track, trace_.track(event.track).parent(event.index)};
  }
  const std::vector<std::vector<FlowEnd>>& continuing() const { return continuing_; }
  const std::vector<EventRef>& asks() const { return asks_; }
  const std::vector<EventRef>& unstaging() const { return unstaging_; }

  // The event that began the flow which this one continues.
  std::optional<EventRef> Beginning(const FlowEnd& end) const {
    const auto found = std::ranges::lower_bound(beginning_, std::tuple(end.type, end.id), {},
                                                [](const FlowEnd& e) { return std::tuple(e.type, e.id); });
    if (found == beginning_.end() || !SameFlow(*found, end) || found->event == end.event) return std::nullopt;
    return found->begin <= end.begin ? std::optional(found->event) : std::nullopt;
  }

  // The innermost event around this one that continues a flow.
  const FlowEnd* Around(EventRef event) const {
    size_t level = 0;
    for (EventRef at = Parent(event); at.index.valid() && level < kDeepest; at = Parent(at), ++level) {
      if (const FlowEnd* end = Find(at); end != nullptr && Beginning(*end)) return end;
    }
    return nullptr;
  }
  // The last event of the same thread before this one that continues a flow.
  const FlowEnd* Before(EventRef event) const {
    const std::vector<FlowEnd>& ends = continuing_[event.track.value];
    auto at = std::ranges::lower_bound(ends, Begin(event), {}, &FlowEnd::begin);
    if (at == ends.begin()) return nullptr;
    --at;
    return End(at->event) <= Begin(event) && Beginning(*at) ? &*at : nullptr;
  }

 private:
  StringId Key(std::string_view name) const { return trace_.strings().Find(name).value_or(StringId()); }
  std::optional<int64_t> Number(EventRef event, StringId key) const {
    if (!key.valid()) return std::nullopt;
    const auto value = trace_.FindArg(event, key);
    return value ? value->integer() : std::nullopt;
  }
  const FlowEnd* Find(EventRef event) const {
    const std::vector<FlowEnd>& ends = continuing_[event.track.value];
    const auto found =
        std::ranges::lower_bound(ends, event.index, {}, [](const FlowEnd& e) { return e.event.index; });
    return found != ends.end() && found->event == event ? &*found : nullptr;
  }

  const Trace& trace_;
  std::vector<std::vector<FlowEnd>> continuing_;  // by track, in order of time
  std::vector<FlowEnd> beginning_;                // by flow
  std::vector<EventRef> asks_;                    // calls that hand an array of the host over
  std::vector<EventRef> unstaging_;               // the host's own copies behind a copy to the host
};

bool ToDevice(const Copy& copy) { return copy.kind == CopyKind::kHostToDevice; }

// Which event explained a copy.
struct Explained {
  EventRef event;
  CopyKind kind;
};

void Explain(const Threads& threads, const Copy& copy, const FlowEnd& end, bool first, Origin& origin) {
  origin.asker = threads.Beginning(end);
  // The second copy of one event has no staging of its own.
  if (!ToDevice(copy) || !first) return;
  origin.staging = end.event;
  origin.staging_time = {threads.Begin(end.event),
                         std::min(threads.End(end.event), threads.Begin(*copy.call))};
}

// Rule 1, and 2 on the thread of the call.
std::vector<Explained> FollowFlows(const Threads& threads, const std::vector<Copy>& copies,
                                   std::vector<Origin>& origins) {
  std::vector<Explained> explained;
  std::vector<size_t> order;  // by call
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].call && !copies[i].in_program) order.push_back(i);
  }
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::tuple(threads.Begin(*copies[i].call), *copies[i].call); });
  std::unordered_map<uint32_t, EventRef> last;  // by track: the event that explained the copy before
  for (const size_t i : order) {
    const EventRef call = *copies[i].call;
    const bool inside = threads.Parent(call).index.valid();
    const FlowEnd* end = inside ? threads.Around(call) : threads.Before(call);
    const auto previous = last.find(call.track.value);
    const bool again = end != nullptr && previous != last.end() && previous->second == end->event;
    if (end == nullptr || (again && !inside)) {
      if (inside) origins[i].asker = call;
      continue;
    }
    last[call.track.value] = end->event;
    Explain(threads, copies[i], *end, !again, origins[i]);
    explained.push_back({end->event, copies[i].kind});
  }
  return explained;
}

// Rule 2 where the copy's call is on another thread than what led to it.
void FollowAcross(const Trace& trace, const Threads& threads, const std::vector<Copy>& copies,
                  std::vector<Explained>& explained, std::vector<Origin>& origins) {
  std::vector<size_t> unknown;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].call && !copies[i].in_program && !origins[i].asker) unknown.push_back(i);
  }
  if (unknown.empty() || explained.empty()) return;
  std::ranges::sort(unknown, {},
                    [&](size_t i) { return std::tuple(threads.Begin(*copies[i].call), *copies[i].call); });
  std::set<std::pair<StringId, CopyKind>> known;  // names of events that led to copies of a kind
  std::set<EventRef> taken;
  for (const Explained& e : explained) {
    known.emplace(trace.track(e.event.track).name(e.event.index), e.kind);
    taken.insert(e.event);
  }
  std::map<CopyKind, std::vector<const FlowEnd*>> free;
  for (const std::vector<FlowEnd>& ends : threads.continuing()) {
    for (const FlowEnd& end : ends) {
      if (taken.contains(end.event) || !threads.Beginning(end)) continue;
      const StringId name = trace.track(end.event.track).name(end.event.index);
      for (auto at = known.lower_bound({name, CopyKind{}}); at != known.end() && at->first == name; ++at) {
        free[at->second].push_back(&end);
      }
    }
  }
  for (auto& [kind, ends] : free) {
    std::ranges::sort(ends, {}, [&](const FlowEnd* e) { return std::pair(threads.End(e->event), e->event); });
    size_t next = 0;
    std::vector<const FlowEnd*> waiting;  // the latest last
    for (const size_t i : unknown) {
      const EventRef call = *copies[i].call;
      if (copies[i].kind != kind) continue;
      while (next < ends.size() && threads.End(ends[next]->event) <= threads.Begin(call))
        waiting.push_back(ends[next++]);
      if (waiting.empty()) continue;
      Explain(threads, copies[i], *waiting.back(), true, origins[i]);
      explained.push_back({waiting.back()->event, kind});
      waiting.pop_back();
    }
  }
}

// Rule 3.
void PairInOrder(const Trace& trace, const Threads& threads, const std::vector<Copy>& copies,
                 std::vector<EventRef> used, std::vector<Origin>& origins) {
  std::vector<size_t> unknown;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (ToDevice(copies[i]) && copies[i].call && !copies[i].in_program && !origins[i].asker)
      unknown.push_back(i);
  }
  if (unknown.empty()) return;
  std::ranges::sort(unknown, {},
                    [&](size_t i) { return std::tuple(threads.Begin(*copies[i].call), *copies[i].call); });
  std::ranges::sort(used, {}, [&](EventRef e) { return std::tuple(e.track, threads.Begin(e)); });
  const auto is_used = [&](EventRef ask) {
    const auto inner =
        std::ranges::lower_bound(used, std::tuple(ask.track, threads.Begin(ask)), {},
                                 [&](EventRef e) { return std::tuple(e.track, threads.Begin(e)); });
    return inner != used.end() && inner->track == ask.track && threads.End(*inner) <= threads.End(ask);
  };
  std::vector<EventRef> asks;
  for (const EventRef ask : threads.asks()) {
    // Of calls inside each other the outermost counts.
    const bool nested =
        !asks.empty() && asks.back().track == ask.track && threads.End(ask) <= threads.End(asks.back());
    if (!nested && !is_used(ask)) asks.push_back(ask);
  }
  if (asks.size() != unknown.size()) return;
  for (size_t i = 0; i < asks.size(); ++i) {
    if (threads.Begin(asks[i]) > threads.Begin(*copies[unknown[i]].call)) return;
  }
  for (size_t i = 0; i < asks.size(); ++i) {
    Origin& origin = origins[unknown[i]];
    origin.asker = asks[i];
    // What the call did with the bytes is the part of it that begins a flow: the rest is bookkeeping.
    const Track& track = trace.track(asks[i].track);
    for (size_t e = asks[i].index.value + 1;
         e < track.size() && track.begin(EventIndex(e)) < threads.End(asks[i]); ++e) {
      const EventRef inner{asks[i].track, EventIndex(e)};
      if (threads.Parent(inner) != asks[i] || track.duration(inner.index) == Ps()) continue;
      if (origin.staging && track.duration(inner.index) <= origin.staging_time.length()) continue;
      origin.staging = inner;
      origin.staging_time = track.interval(inner.index);
    }
  }
}

// The host's copies out of staging buffers, each to the latest copy to the host that ended before it.
void FindUnstaging(const Threads& threads, const std::vector<Copy>& copies, std::vector<Origin>& origins) {
  std::vector<size_t> to_host;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].kind == CopyKind::kDeviceToHost && !copies[i].in_program) to_host.push_back(i);
  }
  std::ranges::stable_sort(to_host, {}, [&](size_t i) { return copies[i].time.end; });
  size_t next = 0;
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t latest = kNone;
  for (const EventRef event : threads.unstaging()) {
    while (next < to_host.size() && copies[to_host[next]].time.end <= threads.Begin(event))
      latest = to_host[next++];
    if (latest == kNone) continue;
    origins[latest].staging = event;
    origins[latest].staging_time = {threads.Begin(event), threads.End(event)};
    latest = kNone;
  }
}

bool IsPython(std::string_view name) { return name.starts_with('$'); }

// Of "$train.py:104 tr" "tr".
std::string_view FunctionOf(std::string_view name) {
  const size_t space = name.find(' ');
  return space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
}

}  // namespace

std::vector<Origin> FindOrigins(const HostView& host, const std::vector<Copy>& copies) {
  std::vector<Origin> origins(copies.size());
  if (copies.empty()) return origins;
  const Threads threads(host.trace());
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].in_program) origins[i].asker = copies[i].call;
  }
  std::vector<Explained> explained = FollowFlows(threads, copies, origins);
  FollowAcross(host.trace(), threads, copies, explained, origins);
  std::vector<EventRef> used;
  for (const Origin& origin : origins) {
    if (origin.asker) used.push_back(*origin.asker);
  }
  PairInOrder(host.trace(), threads, copies, std::move(used), origins);
  FindUnstaging(threads, copies, origins);
  return origins;
}

std::vector<StringId> StackOf(const Trace& trace, EventRef event) {
  const Track& track = trace.track(event.track);
  std::vector<StringId> names;
  for (EventIndex at = event.index; at.valid() && names.size() < kDeepest; at = track.parent(at)) {
    names.push_back(track.name(at));
  }
  return names;
}

static bool IsStep(const Trace& trace, EventRef event) {
  return trace.FindArg(event, "step_num") || trace.FindArg(event, "_r");
}

Caller DescribeCaller(const Trace& trace, EventRef event) {
  const Track& track = trace.track(event.track);
  std::vector<EventIndex> path;  // the innermost first
  for (EventIndex at = event.index; at.valid() && path.size() < kDeepest; at = track.parent(at))
    path.push_back(at);
  Caller caller;
  bool user = false;  // the frame before was the user's
  for (size_t i = path.size(); i-- > 0;) {
    const std::string_view name = trace.text(track.name(path[i]));
    caller.stack.emplace_back(name);
    if (IsPython(name)) {
      const std::string_view function = FunctionOf(name);
      if (IsUserFrame(name)) {
        caller.python = name.substr(1);
        caller.function.clear();
        user = true;
      } else if (user && std::ranges::find(kWrappers, function) == kWrappers.end()) {
        caller.function = function;
        user = false;
      }
    } else if (caller.asked_by.empty() && !IsStep(trace, {event.track, path[i]})) {
      caller.asked_by = name;
    }
  }
  return caller;
}

std::string DescribeWork(const Trace& trace, EventRef event) {
  const Track& track = trace.track(event.track);
  std::string text(trace.name(event));
  EventIndex longest;
  for (size_t e = event.index.value + 1;
       e < track.size() && track.begin(EventIndex(e)) < track.end(event.index); ++e) {
    const EventIndex inner(e);
    if (track.parent(inner) != event.index) continue;
    if (!longest.valid() || track.duration(inner) > track.duration(longest)) longest = inner;
  }
  if (longest.valid() && track.duration(longest) >= track.duration(event.index) / 2) {
    text += " → " + std::string(trace.text(track.name(longest)));
  }
  return text;
}

}  // namespace gait::analyze
