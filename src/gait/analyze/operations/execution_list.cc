#include "gait/analyze/operations/execution_list.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "gait/analyze/operations/op_runs.h"

namespace gait::analyze {
namespace {

class DeviceExecutions {
 public:
  DeviceExecutions(const HostView& host, size_t device, ProgramRuns& runs, const Operation& operation)
      : host_(host), runs_(runs), in_loop_(operation.in_loop) {
    const PlaneKind kind = host.trace().plane(host.devices[device].plane).kind;
    by_runs_ = MayHaveParts(operation, kind);
    goes_on_ = GoesOn(operation, kind);
  }

  // `directly`: after another of the operation.
  void Add(const WorkItem& item, bool directly) {
    items_.push_back(&item);
    if (!directly || !goes_on_) begins_.push_back(items_.size() - 1);
  }

  // By execution.
  std::vector<std::vector<const WorkItem*>> Finish() {
    if (by_runs_ && !in_loop_) {
      if (auto executions = ByRuns()) return *std::move(executions);
    }
    return goes_on_ ? ByBegins() : ByShares();
  }

 private:
  std::optional<std::vector<std::vector<const WorkItem*>>> ByRuns() {
    std::vector<std::vector<const WorkItem*>> executions;
    std::unordered_map<uint64_t, size_t> of_run;
    for (const WorkItem* item : items_) {
      const auto run = runs_.Find(*item);
      if (!run) return std::nullopt;
      const auto [at, first] = of_run.try_emplace(*run, executions.size());
      if (first) executions.emplace_back();
      executions[at->second].push_back(item);
    }
    return executions;
  }

  std::vector<std::vector<const WorkItem*>> ByBegins() const {
    std::vector<std::vector<const WorkItem*>> executions;
    for (size_t i = 0; i < begins_.size(); ++i) {
      const size_t end = i + 1 < begins_.size() ? begins_[i + 1] : items_.size();
      executions.emplace_back(items_.begin() + static_cast<ptrdiff_t>(begins_[i]),
                              items_.begin() + static_cast<ptrdiff_t>(end));
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
  bool by_runs_;                // several events may be one execution
  bool goes_on_;                // those that follow each other directly are
  std::vector<size_t> begins_;  // of items: an execution begins there
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
      std::optional<uint32_t> last;  // that had an event on the device
      for (const WorkItem& item : host.work[d]) {
        while (window != host.windows[d].end() && window->end <= item.time.begin) ++window;
        if (window == host.windows[d].end()) break;
        if (!window->contains(item.time.begin)) continue;
        const Track& track = host.trace().track(item.event.track);
        const uint32_t own = index.Find(h, track, item.event.index);
        if (own == operation) device.Add(item, last == operation);
        if (track.info().kind != TrackKind::kAsyncOps) last = own;
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
