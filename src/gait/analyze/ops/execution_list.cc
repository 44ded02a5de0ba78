#include "gait/analyze/ops/execution_list.h"

#include <algorithm>
#include <map>

#include "gait/analyze/ops/executions.h"

namespace gait::analyze {
namespace {

class DeviceExecutions {
 public:
  DeviceExecutions(const HostView& host, size_t device, ProgramRuns& runs, const Operation& operation)
      : host_(host), runs_(runs), in_loop_(operation.in_loop) {
    by_runs_ =
        host.trace().plane(host.devices[device].plane).kind == PlaneKind::kGpu && operation.attributed();
  }

  void Add(const WorkItem& item) { items_.push_back(&item); }

  // By execution.
  std::vector<std::vector<const WorkItem*>> Finish() {
    if (by_runs_ && !in_loop_) {
      if (auto executions = ByRuns()) return *std::move(executions);
    }
    return ByShares();
  }

 private:
  std::optional<std::vector<std::vector<const WorkItem*>>> ByRuns() {
    std::vector<std::vector<const WorkItem*>> executions;
    uint64_t last = 0;
    for (const WorkItem* item : items_) {
      const auto run = runs_.Find(*item);
      if (!run) return std::nullopt;
      if (executions.empty() || *run != last) executions.emplace_back();
      executions.back().push_back(item);
      last = *run;
    }
    return executions;
  }

  std::vector<std::vector<const WorkItem*>> ByShares() const {
    // Events that come equally often in every execution: kernels of one name, and those of an asynchronous
    // line.
    std::map<std::pair<bool, StringId>, std::vector<const WorkItem*>> kinds;
    for (const WorkItem* item : items_) {
      const Track& track = host_.trace().track(item->event.track);
      const bool asynchronous = track.info().kind == TrackKind::kAsyncOps;
      kinds[{asynchronous, by_runs_ && !asynchronous ? track.name(item->event.index) : StringId()}].push_back(
          item);
    }
    size_t count =
        items_.size();  // of executions: the rarest kind, which is no asynchronous one if others are
    const bool only_asynchronous = kinds.empty() || kinds.begin()->first.first;
    for (const auto& [kind, events] : kinds) {
      if (kind.first == only_asynchronous) count = std::min(count, events.size());
    }
    std::vector<std::vector<const WorkItem*>> executions(count);
    for (const auto& [kind, events] : kinds) {
      for (size_t i = 0; i < events.size(); ++i) executions[i * count / events.size()].push_back(events[i]);
    }
    for (auto& execution : executions) {
      std::ranges::stable_sort(execution, {}, [](const WorkItem* item) { return item->time.begin; });
    }
    return executions;
  }

  const HostView& host_;
  ProgramRuns& runs_;
  bool in_loop_;
  bool by_runs_;  // several events may be one execution
  std::vector<const WorkItem*> items_;
};

}  // namespace

std::vector<OneExecution> ListExecutions(const RunView& view, const OperationIndex& index,
                                         uint32_t operation) {
  std::vector<OneExecution> list;
  for (size_t h = 0; h < view.hosts.size(); ++h) {
    const HostView& host = view.hosts[h];
    ProgramRuns runs(host);
    for (size_t d = 0; d < host.devices.size(); ++d) {
      DeviceExecutions device(host, d, runs, index.operations()[operation]);
      auto window = host.windows[d].begin();
      for (const WorkItem& item : host.work[d]) {
        while (window != host.windows[d].end() && window->end <= item.time.begin) ++window;
        if (window == host.windows[d].end()) break;
        if (!window->contains(item.time.begin)) continue;
        if (index.Find(h, host.trace().track(item.event.track), item.event.index) == operation)
          device.Add(item);
      }
      for (const auto& events : device.Finish()) {
        const Ps time = UnionLength(events.size(), [&](size_t i) { return events[i]->time; });
        list.push_back({h, events.front()->event, events.front()->time.begin, time});
      }
    }
  }
  return list;
}

std::optional<uint32_t> FindOperation(const OperationIndex& index, std::string_view name,
                                      std::string_view program_id) {
  const std::vector<Operation>& all = index.operations();
  const auto found = std::ranges::find_if(all, [&](const Operation& operation) {
    const std::string own = operation.attributed() ? std::to_string(operation.program->id) : "none";
    return operation.name == name && (program_id.empty() || program_id == own);
  });
  if (found == all.end()) return std::nullopt;
  return static_cast<uint32_t>(found - all.begin());
}

}  // namespace gait::analyze
