#include "gait/analyze/ops/operations.h"

#include <algorithm>
#include <set>

#include "gait/analyze/ops/executions.h"
#include "gait/analyze/self_time.h"

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

void SetCost(OpTotal& total, const Bodies& bodies) {
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
  if (cost.flops) total.flops = *cost.flops * times;
  if (cost.bytes_read && cost.bytes_written) total.bytes = (*cost.bytes_read + *cost.bytes_written) * times;
  if (total.flops && total.bytes) return;
  if (cost.unknown_because.valid()) total.unknown_because = program.text(cost.unknown_because);
  if (total.unknown_because.empty()) total.unknown_because = "its cost does not follow from its shapes";
}

// Calls f(part) for the parts of an interval inside the windows; `first` moves on with intervals in order of
// begin.
template <typename F>
void Inside(Interval time, const IntervalSet& windows, size_t& first, F f) {
  while (first < windows.size() && windows[first].end <= time.begin) ++first;
  for (size_t w = first; w < windows.size() && windows[w].begin < time.end; ++w) {
    f(Interval{std::max(time.begin, windows[w].begin), std::min(time.end, windows[w].end)});
  }
}

class Collector {
 public:
  Collector(const OperationIndex& index, Operations& result)
      : index_(index), result_(result), in_loop_(index.operations().size()) {
    for (size_t i = 0; i < in_loop_.size(); ++i) in_loop_[i] = index.operations()[i].in_loop;
  }

  void AddHost(size_t h, const HostView& host) {
    ProgramRuns runs(host);
    for (size_t d = 0; d < host.devices.size(); ++d) AddDevice(h, host, d, runs);
  }

 private:
  void AddDevice(size_t h, const HostView& host, size_t d, ProgramRuns& runs) {
    const Trace& trace = host.trace();
    const IntervalSet& windows = host.windows[d];
    result_.window += TotalLength(windows);
    std::vector<EventRef> order;
    order.reserve(host.work[d].size());
    for (const WorkItem& item : host.work[d]) order.push_back(item.event);
    std::vector<OpPiece>& pieces = result_.pieces.emplace_back();
    pieces.reserve(order.size());
    ExecutionCounter executions(host, host.devices[d], runs, in_loop_);
    size_t first = 0;
    bool in_order = true;  // a second part, in a later window, comes before events of this one
    for (const WorkItem& item : host.work[d]) {
      const EventRef event = item.event;
      const Track& track = trace.track(event.track);
      const Interval time = track.interval(event.index);
      const uint32_t operation = index_.Find(h, track, event.index);
      const size_t before = pieces.size();
      Inside(time, windows, first, [&](Interval part) { pieces.push_back({part, operation}); });
      in_order &= pieces.size() <= before + 1;
      if (first < windows.size() && windows[first].contains(time.begin)) {
        ++result_.totals[operation].events;
        executions.Add(operation, index_.operations()[operation].attributed(), item);
      }
    }
    if (!in_order) std::ranges::stable_sort(pieces, {}, [](const OpPiece& p) { return p.time.begin; });
    const std::vector<uint64_t> counts = executions.Finish();
    for (size_t i = 0; i < counts.size(); ++i) result_.totals[i].executions += counts[i];
    const std::vector<Slice> slices = SelfSlices(trace, order, host.classes);
    ForEachInside(slices, windows, [&](Interval part, const Slice& slice) {
      const Track& track = trace.track(slice.event.track);
      OpTotal& total = result_.totals[index_.Find(h, track, slice.event.index)];
      const WorkClass work = host.classes(track, slice.event.index);
      total.self += part.length();
      if (work == WorkClass::kCompute || work == WorkClass::kControl) total.compute += part.length();
      result_.busy += part.length();
    });
  }

  const OperationIndex& index_;
  Operations& result_;
  std::vector<bool> in_loop_;
};

Operations MakeOperations(const RunView& view) {
  const OperationIndex index(view);
  Operations result;
  result.device_steps = view.device_steps();
  for (const Operation& operation : index.operations()) {
    OpTotal total;
    total.what = operation;
    result.totals.push_back(std::move(total));
  }
  Collector collector(index, result);
  for (size_t h = 0; h < view.hosts.size(); ++h) collector.AddHost(h, view.hosts[h]);
  Membership each{result.totals.size(), {}};
  for (uint32_t i = 0; i < result.totals.size(); ++i) each.of.push_back({i});
  const std::vector<Ps> times = GroupTimes(result, each);
  const Bodies bodies(result.totals);
  for (size_t i = 0; i < times.size(); ++i) {
    result.totals[i].time = times[i];
    SetCost(result.totals[i], bodies);
  }
  return result;
}

}  // namespace

const Operations& FindOperations(const RunView& view) {
  return view.memo->Get<Operations>([&] { return MakeOperations(view); });
}

std::vector<Ps> GroupTimes(const Operations& operations, const Membership& membership) {
  std::vector<Ps> times(membership.groups);
  std::vector<Ps> covered(membership.groups);
  for (const std::vector<OpPiece>& pieces : operations.pieces) {
    covered.assign(membership.groups, -kMaxTime);
    for (const OpPiece& piece : pieces) {
      for (const uint32_t group : membership.of[piece.operation]) {
        const Ps begin = std::max(piece.time.begin, covered[group]);
        if (begin >= piece.time.end) continue;
        times[group] += piece.time.end - begin;
        covered[group] = piece.time.end;
      }
    }
  }
  return times;
}

}  // namespace gait::analyze
