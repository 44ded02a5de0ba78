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

// `has_async_line`: devices show what runs asynchronously on a line of its own.
void SetCost(OpTotal& total, const Bodies& bodies, bool has_async_line) {
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
  Collector(const OperationIndex& index, Operations& result)
      : index_(index),
        result_(result),
        in_loop_(index.operations().size()),
        attributed_(index.operations().size()) {
    for (size_t i = 0; i < in_loop_.size(); ++i) {
      in_loop_[i] = index.operations()[i].in_loop;
      attributed_[i] = index.operations()[i].attributed();
    }
  }

  void AddHost(size_t h, const HostView& host) {
    ProgramRuns runs(host);
    for (size_t d = 0; d < host.devices.size(); ++d) AddDevice(h, host, d, runs);
  }

 private:
  // What is counted per event, apart from the totals so that it stays in the cache.
  struct Sums {
    Ps self;
    Ps compute;
    Ps time;
    Ps covered = -kMaxTime;  // how far its pieces reach
    uint64_t events = 0;
  };

  void AddDevice(size_t h, const HostView& host, size_t d, ProgramRuns& runs) {
    const Trace& trace = host.trace();
    const IntervalSet& windows = host.windows[d];
    result_.window += TotalLength(windows);
    std::vector<Sums> sums(result_.totals.size());
    std::vector<OpPiece>& pieces = result_.pieces.emplace_back();
    pieces.reserve(host.work[d].size());
    ExecutionCounter executions(host, host.devices[d], runs, in_loop_);
    size_t first = 0;
    bool in_order = true;  // a second part, in a later window, comes before events of this one
    for (const WorkItem& item : host.work[d]) {
      const Track& track = trace.track(item.event.track);
      const Interval time = track.interval(item.event.index);
      const uint32_t operation = index_.Find(h, track, item.event.index);
      const size_t before = pieces.size();
      ForEachInside(time, windows, first, [&](Interval part) { pieces.push_back({part, operation}); });
      in_order &= pieces.size() <= before + 1;
      if (first < windows.size() && windows[first].contains(time.begin)) {
        ++sums[operation].events;
        executions.Add(operation, attributed_[operation], item);
      }
    }
    if (!in_order) std::ranges::stable_sort(pieces, {}, [](const OpPiece& p) { return p.time.begin; });
    for (const OpPiece& piece : pieces) {
      Sums& sum = sums[piece.operation];
      const Ps begin = std::max(piece.time.begin, sum.covered);
      if (begin >= piece.time.end) continue;
      sum.time += piece.time.end - begin;
      sum.covered = piece.time.end;
    }
    first = 0;
    ForEachSelfSlice(trace, host.work[d], [&](Interval slice, const WorkItem& item) {
      const bool computes = item.work == WorkClass::kCompute || item.work == WorkClass::kControl;
      ForEachInside(slice, windows, first, [&](Interval part) {
        Sums& sum = sums[index_.Find(h, trace.track(item.event.track), item.event.index)];
        sum.self += part.length();
        if (computes) sum.compute += part.length();
      });
    });
    const std::vector<uint64_t> counts = executions.Finish();
    for (size_t i = 0; i < sums.size(); ++i) {
      OpTotal& total = result_.totals[i];
      total.executions += counts[i];
      total.events += sums[i].events;
      total.self += sums[i].self;
      total.compute += sums[i].compute;
      total.time += sums[i].time;
      result_.busy += sums[i].self;
    }
  }

  const OperationIndex& index_;
  Operations& result_;
  std::vector<bool> in_loop_;  // by operation
  std::vector<bool> attributed_;
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
  return view.memo->Get<Operations>([&] { return MakeOperations(view); });
}

std::vector<Ps> GroupTimes(const Operations& operations, const Membership& membership) {
  std::vector<Ps> times(membership.groups);
  // A group of one operation has its time. All groups of the others, one after the other.
  std::vector<uint32_t> members(membership.groups);
  for (const std::vector<uint32_t>& groups : membership.of) {
    for (const uint32_t group : groups) ++members[group];
  }
  std::vector<uint32_t> begin = {0};  // by operation: where its groups begin in `of`; then where they end
  std::vector<uint32_t> of;
  for (size_t i = 0; i < membership.of.size(); ++i) {
    for (const uint32_t group : membership.of[i]) {
      if (members[group] > 1) of.push_back(group);
      if (members[group] == 1) times[group] = operations.totals[i].time;
    }
    begin.push_back(static_cast<uint32_t>(of.size()));
  }
  if (of.empty()) return times;
  std::vector<Ps> covered(membership.groups);
  for (const std::vector<OpPiece>& pieces : operations.pieces) {
    covered.assign(membership.groups, -kMaxTime);
    for (const OpPiece& piece : pieces) {
      for (uint32_t i = begin[piece.operation]; i < begin[piece.operation + 1]; ++i) {
        const uint32_t group = of[i];
        const Ps from = std::max(piece.time.begin, covered[group]);
        if (from >= piece.time.end) continue;
        times[group] += piece.time.end - from;
        covered[group] = piece.time.end;
      }
    }
  }
  return times;
}

}  // namespace gait::analyze
