#include "gait/analyze/operations/operations.h"

#include <algorithm>
#include <map>
#include <set>

#include "gait/analyze/device/self_time.h"
#include "gait/analyze/operations/op_runs.h"

namespace gait::analyze {
namespace {

// Whether some operation with events runs inside a computation, at whatever depth.
class Bodies {
 public:
  explicit Bodies(const std::vector<OpTotal>& totals) {
    for (const OpTotal& total : totals) {
      if (total.what.attributed()) active_.emplace(total.what.program, total.what.hlo().computation.value);
    }
  }

  bool HasOperations(const Program& program, const Instruction& caller) const {
    std::set<uint32_t> seen;
    std::vector<ComputationIndex> pending = caller.called;
    while (!pending.empty()) {
      const ComputationIndex at = pending.back();
      pending.pop_back();
      if (!seen.insert(at.value).second) continue;
      if (active_.contains({&program, at.value})) return true;
      const Computation& computation = program.computations[at.value];
      for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
        const Instruction& inner = program.instructions[i];
        const std::string_view opcode = program.text(inner.opcode);
        if (opcode == "while" || opcode == "conditional" || opcode == "call") {
          pending.insert(pending.end(), inner.called.begin(), inner.called.end());
        }
      }
    }
    return false;
  }

 private:
  std::set<std::pair<const Program*, uint32_t>> active_;
};

std::string_view WhyUnattributed(AttributionKind kind) {
  switch (kind) {
    case AttributionKind::kNoProgram:
      return "its program is not in the capture";
    case AttributionKind::kNoInstruction:
      return "its program has no such instruction";
    case AttributionKind::kGraphMismatch:
      return "its CUDA graph does not fit the program";
    default:
      return "it belongs to no program";
  }
}

// `has_async_line`: devices show what runs asynchronously on a line of its own.
void SetCost(OpTotal& total, const Bodies& bodies, bool has_async_line) {
  if (total.what.category == Category::kOtherPrograms) {
    total.unknown_because = "it is of programs that were not selected";
    return;
  }
  if (!total.what.attributed()) {
    total.unknown_because = WhyUnattributed(total.what.attribution);
    return;
  }
  const Program& program = *total.what.program;
  const Instruction& instruction = total.what.hlo();
  if (total.what.category == Category::kControlFlow && bodies.HasOperations(program, instruction)) {
    total.flops = total.bytes = 0;
    return;
  }
  const Cost& cost = instruction.cost;
  const auto times = static_cast<double>(total.executions);
  if (has_async_line && program.text(instruction.opcode).ends_with("-start")) {
    total.unknown_because = "it only begins what runs beside others; gait transfers has the rates of copies";
    return;
  }
  if (cost.flops) total.flops = *cost.flops * times;
  if (cost.bytes_read && cost.bytes_written) total.bytes = (*cost.bytes_read + *cost.bytes_written) * times;
  if (total.flops && total.bytes) return;
  if (cost.unknown_because.valid()) total.unknown_because = program.text(cost.unknown_because);
  if (total.unknown_because.empty()) total.unknown_because = "its cost does not follow from its shapes";
}

class Collector {
 public:
  Collector(OperationIndex& index, Operations& result) : index_(index), result_(result) {}

  void AddHost(size_t h, const HostView& host) {
    ProgramRuns runs(host);
    for (size_t d = 0; d < host.devices.size(); ++d) AddDevice(h, host, d, runs);
  }

 private:
  // What is counted per event, apart from the totals so that it stays in the cache.
  struct Sums {
    Ps self;
    Ps compute;
    uint64_t events = 0;
  };

  void AddDevice(size_t h, const HostView& host, size_t d, ProgramRuns& runs) {
    const Trace& trace = host.trace();
    const std::vector<WorkItem>& work = host.work[d];
    const IntervalSet& windows = host.windows[d];
    result_.window += TotalLength(windows);
    std::vector<Sums> sums(result_.totals.size());
    std::vector<uint32_t> operation_of(work.size());
    Coverage& coverage = result_.coverage.emplace_back(result_.totals.size());
    std::multimap<Ps, std::pair<uint32_t, Interval>> later;  // by begin: parts in windows that follow
    const auto cover = [&](Ps until) {
      for (; !later.empty() && later.begin()->first <= until; later.erase(later.begin())) {
        coverage.Add(later.begin()->second.first, later.begin()->second.second);
      }
    };
    ExecutionCounter executions(host, host.devices[d], runs, index_.operations());
    WindowCutter cutter(windows);
    for (size_t i = 0; i < work.size(); ++i) {
      const WorkItem& item = work[i];
      const Track& track = trace.track(item.event.track);
      const uint32_t operation = index_.Find(h, track, item);
      operation_of[i] = operation;
      bool again = false;
      cutter.ForEachPart(item.time, [&](Interval part) {
        if (again) {
          later.emplace(part.begin, std::pair(operation, part));
          return;
        }
        cover(part.begin);
        coverage.Add(operation, part);
        again = true;
      });
      if (cutter.Holds(item.time.begin)) {
        ++sums[operation].events;
        executions.Add(operation, track, item);
      }
    }
    cover(kMaxTime);
    WindowCutter slices(windows);
    ForEachSelfSlice(work, [&](Interval slice, const WorkItem& item) {
      const bool computes = item.work == WorkClass::kCompute || item.work == WorkClass::kControl;
      Sums& sum = sums[operation_of[static_cast<size_t>(&item - work.data())]];
      slices.ForEachPart(slice, [&](Interval part) {
        sum.self += part.length();
        if (computes) sum.compute += part.length();
      });
    });
    const std::vector<uint64_t> counts = executions.Finish();
    std::vector<Ps>& self = result_.self.emplace_back(sums.size());
    for (size_t i = 0; i < sums.size(); ++i) {
      OpTotal& total = result_.totals[i];
      total.executions += counts[i];
      total.events += sums[i].events;
      total.self += sums[i].self;
      total.compute += sums[i].compute;
      result_.busy += sums[i].self;
      self[i] = sums[i].self;
    }
  }

  OperationIndex& index_;
  Operations& result_;
};

void SetTimes(Operations& result) {
  Membership each{result.totals.size(), {}};  // every operation is a group of its own
  for (uint32_t i = 0; i < result.totals.size(); ++i) each.of.push_back({i});
  const std::vector<Ps> times = GroupTimes(result, each);
  for (size_t i = 0; i < times.size(); ++i) result.totals[i].time = times[i];
}

Operations MakeOperations(const RunView& view, OperationIndex index) {
  Operations result;
  result.device_steps = view.device_steps();
  for (const Operation& operation : index.operations()) {
    OpTotal total;
    total.what = operation;
    result.totals.push_back(std::move(total));
  }
  Collector collector(index, result);
  for (size_t h = 0; h < view.hosts.size(); ++h) collector.AddHost(h, view.hosts[h]);
  SetTimes(result);
  const Bodies bodies(result.totals);
  bool has_async_line = false;
  for (const HostView& host : view.hosts) {
    for (const Device& device : host.devices) {
      has_async_line |= std::ranges::any_of(device.work, [&](TrackId track) {
        return host.trace().track(track).info().kind == TrackKind::kAsyncOps;
      });
    }
  }
  for (OpTotal& total : result.totals) SetCost(total, bodies, has_async_line);
  return result;
}

}  // namespace

const Operations& FindOperations(const RunView& view) {
  return view.memo->Get<Operations>([&] { return MakeOperations(view, OperationIndex(view)); });
}

const Operations& FindOperationsByHostScope(const RunView& view) {
  if (!HasHostScopes(view)) return FindOperations(view);
  struct ByHostScope {
    Operations operations;
  };
  return view.memo
      ->Get<ByHostScope>([&] { return ByHostScope{MakeOperations(view, OperationIndex::ByHostScope(view))}; })
      .operations;
}

Ps TimeOfOtherPrograms(const Operations& operations) {
  Ps sum;
  for (const OpTotal& total : operations.totals) {
    if (total.what.category == Category::kOtherPrograms) sum += total.self;
  }
  return sum;
}

std::vector<Ps> GroupTimes(const Operations& operations, const Membership& membership) {
  std::vector<Ps> times(membership.groups);
  for (const Coverage& coverage : operations.coverage) coverage.AddTimes(membership, times);
  return times;
}

}  // namespace gait::analyze
