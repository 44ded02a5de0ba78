#include "gait/analyze/collectives/collectives.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "gait/analyze/time/durations.h"
#include "gait/analyze/time/interval_prefix_sum.h"

namespace gait::analyze {
namespace {

// Sums of what a damaged file may hold stay in range.
void Add(Ps& sum, Ps value) { sum = Clamped(static_cast<Int128>(sum.value()) + value.value()); }

bool EndsInside(const IntervalSet& windows, Ps end) {
  const auto window = std::ranges::lower_bound(windows, end, {}, &Interval::end);
  return window != windows.end() && window->begin < end;
}

// The executions of one group in one run, as a range of the sorted list.
struct Meeting {
  size_t begin;
  size_t end;
};

class Analysis {
 public:
  explicit Analysis(const RunView& view) : view_(view) {
    result_.found = FindCollectives(view);
    for (const HostView& host : view.hosts) result_.steps = std::max(result_.steps, host.steps);
    result_.device_steps = view.device_steps();
    for (const RunDevice& d : devices()) {
      const HostView& host = view.hosts[d.host];
      compute_.push_back(&host.times[d.device].compute());
    }
  }

  CollectivesResult Run() && {
    FindMeetings();
    AlignHosts();
    MeasureDevices();
    result_.late = NoLateStarts();
    for (size_t o = 0; o < operations().size(); ++o) MeasureOperation(o);
    Finish(result_.late);
    MeasureKinds();
    std::ranges::stable_sort(result_.collectives, std::greater<>(), &CollectiveStats::exposed);
    std::ranges::stable_sort(result_.kinds, std::greater<>(), &CollectiveKindStats::exposed);
    return std::move(result_);
  }

 private:
  const std::vector<RunDevice>& devices() const { return result_.found.devices; }
  const std::vector<CollectiveOperation>& operations() const { return result_.found.operations; }
  const DeviceExecution& execution(size_t i) const { return result_.found.executions[order_[i]]; }
  uint32_t GroupOf(const DeviceExecution& e) const { return operations()[e.operation].group_of[e.device]; }
  const IntervalSet& WindowsOf(size_t device) const {
    return view_.hosts[devices()[device].host].windows[devices()[device].device];
  }
  LateStarts NoLateStarts() const {
    LateStarts late;
    late.last.resize(devices().size());
    late.skew_of.resize(devices().size());
    late.largest_of.resize(devices().size());
    late.together.resize(view_.hosts.size());
    late.largest_together.resize(view_.hosts.size());
    return late;
  }

  // Executions that belong together stand together, in order of device; those outside the windows are left
  // out.
  void FindMeetings() {
    order_.resize(result_.found.executions.size());
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    const auto key = [&](const DeviceExecution& e) {
      return std::tuple(e.operation, GroupOf(e), e.run, e.number);
    };
    const auto& all = result_.found.executions;
    std::ranges::stable_sort(order_, {}, [&](size_t i) { return std::pair(key(all[i]), all[i].device); });
    meetings_.resize(operations().size());
    for (size_t begin = 0; begin < order_.size();) {
      size_t end = begin;
      bool counts = false;
      for (; end < order_.size() && key(execution(end)) == key(execution(begin)); ++end) {
        counts = counts || EndsInside(WindowsOf(execution(end).device), execution(end).time.end);
      }
      if (counts) meetings_[execution(begin).operation].push_back({begin, end});
      begin = end;
    }
  }

  // How many devices of each group executed the operation at all.
  std::vector<size_t> SizesOfGroups(size_t operation) const {
    std::vector<bool> seen(devices().size());
    std::vector<size_t> sizes;
    for (const Meeting& meeting : meetings_[operation]) {
      for (size_t i = meeting.begin; i < meeting.end; ++i) {
        const DeviceExecution& e = execution(i);
        if (seen[e.device]) continue;
        seen[e.device] = true;
        sizes.resize(std::max<size_t>(sizes.size(), GroupOf(e) + 1));
        ++sizes[GroupOf(e)];
      }
    }
    return sizes;
  }

  Ps AlignedStart(const DeviceExecution& e) const {
    return Difference(e.time.begin, result_.hosts[devices()[e.device].host].shift);
  }

  void AlignHosts() {
    std::vector<CommonEnd> ends;
    for (size_t o = 0; o < operations().size(); ++o) {
      if (!operations()[o].members_known || !EndsTogether(operations()[o].kind)) continue;
      for (const Meeting& meeting : meetings_[o]) {
        if (meeting.end - meeting.begin < 2) continue;
        CommonEnd& common = ends.emplace_back();
        for (size_t i = meeting.begin; i < meeting.end; ++i) {
          common.push_back({execution(i).device, execution(i).time.end});
        }
      }
    }
    result_.clocks = AlignClocks(devices().size(), ends);
    // The devices of a host share a clock: one shift for all of them.
    result_.hosts.resize(view_.hosts.size());
    std::vector<std::vector<Ps>> offsets(view_.hosts.size());
    std::optional<uint32_t> component;
    for (size_t d = 0; d < devices().size(); ++d) {
      const ClockOffset& clock = result_.clocks[d];
      if (clock.samples == 0) continue;
      if (!component && devices()[d].host == 0) component = clock.component;
      if (component == clock.component) offsets[devices()[d].host].push_back(clock.offset);
    }
    for (size_t h = 0; h < view_.hosts.size(); ++h) {
      result_.hosts[h].aligned = h == 0 || !offsets[h].empty();
      if (!offsets[h].empty()) {
        result_.hosts[h].shift =
            Clamped(static_cast<Int128>(Median(offsets[h]).value()) - Median(offsets[0]).value());
      }
    }
  }

  void MeasureDevices() {
    result_.devices.resize(devices().size());
    for (size_t d = 0; d < devices().size(); ++d) {
      const IntervalSet& windows = WindowsOf(d);
      IntervalSet all;
      for (const IntervalSet& of_kind : result_.found.communication[d]) all = Union(all, of_kind);
      all = Intersect(all, windows);
      CollectiveDeviceStats& stats = result_.devices[d];
      stats.window = TotalLength(windows);
      stats.exposed = TotalLength(Subtract(all, compute_[d]->set()));
      stats.hidden = TotalLength(all) - stats.exposed;
    }
  }

  Ps Exposed(const DeviceExecution& e) const { return e.time.length() - compute_[e.device]->Inside(e.time); }

  void MeasureOperation(size_t o) {
    if (meetings_[o].empty()) return;
    const CollectiveOperation& operation = operations()[o];
    CollectiveStats stats;
    stats.operation = o;
    stats.late = NoLateStarts();
    stats.waited.resize(devices().size());
    stats.executions_on.resize(devices().size());
    const std::vector<size_t> sizes = SizesOfGroups(o);
    // Where it is unknown who meets whom every device is by itself: no execution has the times of several.
    std::vector<std::vector<Ps>> times(operation.members_known ? 1 : devices().size());
    std::vector<Ps> skews;
    Ps wait;
    size_t groups = 0;
    uint64_t meetings = 0;
    for (const size_t size : sizes) {
      stats.devices += size;
      groups += size > 0 ? 1 : 0;
    }
    for (const Meeting& meeting : meetings_[o]) {
      ++meetings;
      for (size_t i = meeting.begin; i < meeting.end; ++i) {
        ++stats.on_devices;
        const Ps exposed = Exposed(execution(i));
        Add(stats.exposed, exposed);
        Add(stats.hidden, execution(i).time.length() - exposed);
      }
      const size_t present = meeting.end - meeting.begin;
      if (present < sizes[GroupOf(execution(meeting.begin))]) {
        ++stats.incomplete;
        continue;
      }
      // The fastest of some is not the fastest of all: there is waiting for the others in it.
      if (view_.narrowed() && present < std::max<size_t>(static_cast<size_t>(operation.group_size), 2))
        continue;
      Ps fastest = execution(meeting.begin).time.length();
      for (size_t i = meeting.begin; i < meeting.end; ++i) {
        fastest = std::min(fastest, execution(i).time.length());
      }
      times[operation.members_known ? 0 : execution(meeting.begin).device].push_back(fastest);
      if (!operation.members_known || present < 2) continue;
      Add(wait, MeasureWait(meeting, stats));
      skews.push_back(MeasureSkew(meeting, stats.late));
    }
    stats.executions = groups == 0 ? 0 : (meetings + groups - 1) / groups;
    for (const std::vector<Ps>& of : times) {
      if (of.empty()) continue;
      const Ps median = Median(of);
      if (stats.time && *stats.time <= median) continue;
      stats.time = median;
      stats.mean = Mean(of);
    }
    if (stats.time) SetBandwidth(operation, stats);
    if (!skews.empty()) {
      stats.wait = wait / static_cast<int64_t>(groups);
      stats.largest_skew = *std::ranges::max_element(skews);
      stats.skew = Median(std::move(skews));
    }
    Finish(stats.late);
    result_.collectives.push_back(std::move(stats));
  }

  static Ps Mean(const std::vector<Ps>& times) {
    double sum = 0;
    for (const Ps t : times) sum += static_cast<double>(t.value());
    return Ps(std::llround(sum / static_cast<double>(times.size())));
  }

  static void SetBandwidth(const CollectiveOperation& operation, CollectiveStats& stats) {
    const bool known = operation.message_bytes && operation.group_size > 0;
    if (!known || *stats.time <= Ps()) return;
    const double seconds = static_cast<double>(stats.time->value()) * 1e-12;
    stats.algorithm_bandwidth = static_cast<double>(*operation.message_bytes) *
                                SizeFactor(operation.kind, operation.group_size) / seconds;
    stats.bus_bandwidth = *stats.algorithm_bandwidth * BusFactor(operation.kind, operation.group_size);
  }

  Ps MeasureWait(const Meeting& meeting, CollectiveStats& stats) {
    Ps least = kMaxTime;
    Ps most;
    for (size_t i = meeting.begin; i < meeting.end; ++i) {
      const Ps exposed = Exposed(execution(i));
      least = std::min(least, exposed);
      most = std::max(most, exposed);
    }
    for (size_t i = meeting.begin; i < meeting.end; ++i) {
      const size_t d = execution(i).device;
      const Ps waited = Exposed(execution(i)) - least;
      Add(result_.devices[d].waited, waited);
      Add(stats.waited[d], waited);
      ++result_.devices[d].executions;
      ++stats.executions_on[d];
    }
    return most - least;
  }

  Ps MeasureSkew(const Meeting& meeting, LateStarts& late) {
    size_t last = meeting.begin;
    Ps earliest = kMaxTime;
    for (size_t i = meeting.begin; i < meeting.end; ++i) {
      const Ps start = AlignedStart(execution(i));
      earliest = std::min(earliest, start);
      if (start > AlignedStart(execution(last))) last = i;
    }
    const Ps skew = AlignedStart(execution(last)) - earliest;
    const std::optional<size_t> host = LateTogether(meeting, AlignedStart(execution(last)) - skew / 10);
    for (LateStarts* to : {&late, &result_.late}) {
      if (host) {
        Add(to->together[*host], skew);
        to->largest_together[*host] = std::max(to->largest_together[*host], skew);
      }
      ++to->executions;
      ++to->last[execution(last).device];
      Add(to->skew, skew);
      Add(to->skew_of[execution(last).device], skew);
      Ps& largest = to->largest_of[execution(last).device];
      largest = std::max(largest, skew);
    }
    return skew;
  }

  // The host whose devices, more than one, and no others started from then on.
  std::optional<size_t> LateTogether(const Meeting& meeting, Ps since) const {
    std::optional<size_t> host;
    size_t count = 0;
    for (size_t i = meeting.begin; i < meeting.end; ++i) {
      if (AlignedStart(execution(i)) < since) continue;
      const size_t of = devices()[execution(i).device].host;
      if (host && *host != of) return std::nullopt;
      host = of;
      ++count;
    }
    return count > 1 && view_.hosts.size() > 1 ? host : std::nullopt;
  }

  // Whose skew is more than half of all, its largest left out.
  static std::optional<size_t> MostOf(Ps skew, const std::vector<Ps>& sums, const std::vector<Ps>& largest) {
    const auto most = std::ranges::max_element(sums);
    if (most == sums.end()) return std::nullopt;
    const auto at = static_cast<size_t>(most - sums.begin());
    return *most - largest[at] > skew - *most ? std::optional(at) : std::nullopt;
  }

  static void Finish(LateStarts& late) {
    if (late.executions < kFewestForStraggler || late.skew <= Ps()) return;
    late.host = MostOf(late.skew, late.together, late.largest_together);
    if (!late.host) late.device = MostOf(late.skew, late.skew_of, late.largest_of);
  }

  void MeasureKinds() {
    for (size_t k = 0; k < kCollectiveKinds; ++k) {
      CollectiveKindStats stats;
      stats.kind = static_cast<CollectiveKind>(k);
      stats.bytes = 0;
      for (const CollectiveStats& collective : result_.collectives) {
        const CollectiveOperation& operation = operations()[collective.operation];
        if (operation.kind != stats.kind) continue;
        ++stats.operations;
        stats.executions += collective.executions;
        if (!operation.message_bytes) stats.bytes.reset();
        if (stats.bytes) {
          *stats.bytes +=
              static_cast<double>(*operation.message_bytes) * static_cast<double>(collective.on_devices);
        }
        if (!collective.wait) continue;
        if (!stats.wait) stats.wait = Ps();
        Add(*stats.wait, *collective.wait);
      }
      for (size_t d = 0; d < devices().size(); ++d) {
        const IntervalSet inside = Intersect(result_.found.communication[d][k], WindowsOf(d));
        const Ps exposed = TotalLength(Subtract(inside, compute_[d]->set()));
        Add(stats.exposed, exposed);
        Add(stats.hidden, TotalLength(inside) - exposed);
      }
      if (stats.operations > 0) result_.kinds.push_back(stats);
    }
  }

  const RunView& view_;
  CollectivesResult result_;
  std::vector<const IntervalPrefixSum*> compute_;  // by device
  std::vector<size_t> order_;                      // executions, those of one meeting together
  std::vector<std::vector<Meeting>> meetings_;     // by operation
};

}  // namespace

Ps CollectivesResult::waited() const {
  Ps sum;
  for (const CollectiveDeviceStats& device : devices) sum += device.waited;
  return sum;
}

std::string StragglerOf(const RunView& view, const CollectivesResult& result) {
  if (result.late.host) return view.hosts[*result.late.host].host->name;
  if (!result.late.device) return {};
  const RunDevice& device = result.found.devices[*result.late.device];
  return view.hosts.size() > 1 ? device.name + " of " + view.hosts[device.host].host->name : device.name;
}

const CollectivesResult& AnalyzeCollectives(const RunView& view) {
  return view.memo->Get<CollectivesResult>([&] { return Analysis(view).Run(); });
}

}  // namespace gait::analyze
