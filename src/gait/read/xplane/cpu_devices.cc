#include "gait/read/xplane/cpu_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/base/limits.h"
#include "gait/trace/arg_column.h"

namespace gait::xplane {
namespace {

struct Operation {
  EventRef event;
  Ps begin;
  Ps end;
  EventRef parent;  // the operation that it runs inside; on the same thread
};

// When an operation ended: as its end event says, and where the task that wrote that had begun to run what
// waited for the operation, if it did.
struct End {
  PlaneId process;  // each numbers its flows itself
  uint64_t flow = 0;
  Ps event;
  Ps work;

  auto place() const { return std::tuple(process, flow, event); }
};

// A process numbers its devices itself, too.
using DeviceKey = std::pair<PlaneId, int64_t>;  // with its ordinal

struct CpuDevice {
  std::vector<Operation> operations;            // in order of begin
  std::unordered_map<int64_t, Ps> complete_at;  // by run
};

class DeviceRows {
 public:
  explicit DeviceRows(const Trace& trace) : trace_(trace), run_(trace, "run_id") {
    const auto find = [&](std::string_view key) { return trace.strings().Find(key).value_or(StringId()); };
    hlo_op_ = find("hlo_op");
    ordinal_ = find("device_ordinal");
    producer_ = find("_p");
    consumer_ = find("_c");
    execute_ = find("ThunkExecutor::Execute");
    completion_ = find("ThunkExecutor::Execute (wait for completion)");
    start_task_ = find("ThreadpoolListener::StartRegion");
    stop_task_ = find("ThreadpoolListener::StopRegion");
    has_op_.resize(trace.arg_sets().size());
    homeless_.resize(has_op_.size());
    for (size_t i = 0; i < has_op_.size(); ++i) {
      const auto set = trace.arg_sets()[ArgSetId(i)];
      if (std::ranges::find(set, hlo_op_, &ArgEntry::key) == set.end()) continue;
      has_op_[i] = std::ranges::find(set, ordinal_, &ArgEntry::key) != set.end();
      homeless_[i] = !has_op_[i];
    }
  }

  bool any() const {
    return hlo_op_.valid() && ordinal_.valid() && std::ranges::find(has_op_, true) != has_op_.end();
  }

  // Operations that do not say which device ran them.
  uint64_t CountHomeless() const {
    uint64_t count = 0;
    for (const Track& track : trace_.tracks()) {
      for (uint32_t i = 0; i < track.size(); ++i) count += homeless_[track.args(EventIndex(i)).value] ? 1 : 0;
    }
    return count;
  }

  const std::map<DeviceKey, CpuDevice>& Collect() {
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) CollectEnds(TrackId(t));
    std::ranges::sort(ends_, {}, &End::place);
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) CollectOperations(TrackId(t));
    for (auto& [key, device] : devices_) {
      std::ranges::stable_sort(device.operations, [](const Operation& a, const Operation& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
    }
    return devices_;
  }

 private:
  // A task is what a thread of the pool does between two events of its listener. The last end event of one is
  // that of the operation which it finished; earlier ones are of loops that ended in what it ran after that.
  void CollectEnds(TrackId id) {
    const Track& track = trace_.track(id);
    bool in_task = false;
    std::optional<Ps> next;  // where the task began to run something else
    std::optional<size_t> finished;
    const auto end_task = [&] {
      if (finished && next) ends_[*finished].work = std::min(ends_[*finished].work, *next);
      finished.reset();
      next.reset();
    };
    for (uint32_t i = 0; i < track.size(); ++i) {
      const EventRef event{id, EventIndex(i)};
      const StringId name = track.name(event.index);
      const bool outermost = !track.parent(event.index).valid();
      if (name == completion_) {
        CollectCompletion(event, track.end(event.index));
      } else if (outermost && (name == start_task_ || name == stop_task_)) {
        end_task();
        in_task = name == start_task_;
      } else if (trace_.text(name).starts_with("end: ")) {
        const auto flow = trace_.FindArg(event, consumer_);
        if (!flow) continue;
        const Ps at = track.begin(event.index);
        if (in_task && outermost) finished = ends_.size();
        ends_.push_back({track.info().plane, flow->bits, at, at});
      } else if (in_task && outermost && !next && (name == execute_ || IsOperation(track, event.index))) {
        next = track.begin(event.index);
      }
    }
    end_task();
  }

  void CollectCompletion(EventRef event, Ps at) {
    const std::optional<ArgValue> ordinal = trace_.FindArg(event, ordinal_);
    const std::optional<int64_t> run = RunOf(event);
    if (!ordinal || !run) return;
    const auto [found, added] = DeviceOf(event, *ordinal).complete_at.emplace(*run, at);
    if (!added) found->second = std::max(found->second, at);
  }

  CpuDevice& DeviceOf(EventRef event, const ArgValue& ordinal) {
    return devices_[{trace_.track(event.track).info().plane, ordinal.integer().value_or(0)}];
  }

  void CollectOperations(TrackId id) {
    const Track& track = trace_.track(id);
    if (track.info().kind != TrackKind::kThread) return;
    for (uint32_t i = 0; i < track.size(); ++i) {
      if (!IsOperation(track, EventIndex(i))) continue;
      const EventRef event{id, EventIndex(i)};
      const std::optional<ArgValue> ordinal = trace_.FindArg(event, ordinal_);
      CpuDevice& device = DeviceOf(event, *ordinal);
      Operation operation{event, track.begin(event.index), track.end(event.index), {}};
      operation.end = std::max(operation.end, MarkedEnd(event, device).value_or(operation.end));
      EventIndex parent = track.parent(event.index);
      while (parent.valid() && !IsOperation(track, parent)) parent = track.parent(parent);
      if (parent.valid()) operation.parent = {id, parent};
      device.operations.push_back(operation);
    }
  }

  // The first of: when its end event began, where what waited for it began, when its run was complete.
  std::optional<Ps> MarkedEnd(EventRef event, const CpuDevice& device) const {
    const auto flow = trace_.FindArg(event, producer_);
    if (!flow) return std::nullopt;
    const Track& track = trace_.track(event.track);
    const End wanted{track.info().plane, flow->bits, track.begin(event.index), {}};
    const auto end = std::ranges::lower_bound(ends_, wanted.place(), {}, &End::place);
    if (end == ends_.end() || end->process != wanted.process || end->flow != wanted.flow) return std::nullopt;
    const Ps at = Surrounds(event) ? end->event : end->work;
    const std::optional<int64_t> run = RunOf(event);
    const auto complete = run ? device.complete_at.find(*run) : device.complete_at.end();
    return complete == device.complete_at.end() ? at : std::min(at, complete->second);
  }

  // A loop, a branch or a call: what a task runs after a part of its body may be the rest of that.
  bool Surrounds(EventRef outer) const {
    const Track& track = trace_.track(outer.track);
    for (uint32_t i = outer.index.value + 1; i < track.size(); ++i) {
      if (track.begin(EventIndex(i)) >= track.end(outer.index)) return false;
      if (IsOperation(track, EventIndex(i))) return true;
    }
    return false;
  }

  std::optional<int64_t> RunOf(EventRef event) const {
    const std::optional<ArgValue> run = run_(trace_.track(event.track), event.index);
    return run ? run->integer() : std::nullopt;
  }

  bool IsOperation(const Track& track, EventIndex i) const { return has_op_[track.args(i).value]; }

  const Trace& trace_;
  ArgColumn run_;
  StringId hlo_op_, ordinal_, producer_, consumer_, execute_, completion_, start_task_, stop_task_;
  std::vector<bool> has_op_;    // by argument set
  std::vector<bool> homeless_;  // by argument set: of an operation that does not say where
  std::vector<End> ends_;       // by place, once they are collected
  std::map<DeviceKey, CpuDevice> devices_;
};

void AddDevice(int64_t ordinal, const std::vector<Operation>& operations, TraceBuilder& builder) {
  Plane plane;
  plane.id = ordinal;
  plane.name = builder.Intern(fmt::format("/device:CPU:{}", ordinal));
  plane.kind = PlaneKind::kCpuDevice;
  plane.ordinal = ordinal;
  plane.args = kNoArgs;
  TrackInfo info;
  info.plane = builder.AddPlane(plane);
  info.name = builder.Intern("XLA Ops");
  info.kind = TrackKind::kOps;
  info.layout = Layout::kLanes;
  info.derived = true;
  TrackWriter writer = builder.NewTrack(info);

  std::map<EventRef, uint32_t> written;  // where a parent of another operation went
  for (const Operation& operation : operations) written[operation.parent] = EventIndex::kInvalid;
  const Trace& trace = builder.trace();
  for (const Operation& operation : operations) {
    trace.ForEachArg(operation.event, [&](StringId key, ArgValue value) { writer.Arg(key, value); });
    const auto parent = written.find(operation.parent);
    if (operation.parent.track.valid()) writer.Parent(parent->second);
    const auto self = written.find(operation.event);
    if (self != written.end()) self->second = static_cast<uint32_t>(writer.size());
    writer.Event(operation.begin, operation.end - operation.begin,
                 trace.track(operation.event.track).name(operation.event.index));
  }
  builder.Add(std::move(writer));
}

}  // namespace

void AddCpuDevices(TraceBuilder& builder) {
  const Trace& trace = builder.trace();
  const bool others = std::ranges::any_of(trace.tracks(), [&](const Track& track) {
    return track.size() > 0 && trace.plane(track.info().plane).is_device();
  });
  if (others) return;
  DeviceRows rows(builder.trace());
  if (!rows.any()) {
    const uint64_t homeless = rows.CountHomeless();
    if (homeless == 0) return;
    return builder.Lose(
        LossKind::kDropped, "CPU devices",
        "operations without the device that ran them and without their end, which JAX records since 0.7",
        homeless);
  }
  size_t added = 0;
  for (const auto& [key, device] : rows.Collect()) {
    if (device.operations.empty()) continue;
    if (++added > limits::kMaxDevices) {
      builder.Lose(LossKind::kCapped, "CPU devices", "operations of devices beyond the limit",
                   device.operations.size());
      continue;
    }
    AddDevice(key.second, device.operations, builder);
  }
}

}  // namespace gait::xplane
