#include "gait/read/xplane/cpu_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
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
    completion_ = find("ThunkExecutor::Execute (wait for completion)");
    has_op_.resize(trace.arg_sets().size());
    for (size_t i = 0; i < has_op_.size(); ++i) {
      const auto set = trace.arg_sets()[ArgSetId(i)];
      has_op_[i] = std::ranges::find(set, hlo_op_, &ArgEntry::key) != set.end() &&
                   std::ranges::find(set, ordinal_, &ArgEntry::key) != set.end();
    }
  }

  bool any() const {
    return hlo_op_.valid() && ordinal_.valid() && std::ranges::find(has_op_, true) != has_op_.end();
  }

  // By device ordinal.
  const std::map<int64_t, CpuDevice>& Collect() {
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) CollectEnds(TrackId(t));
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) CollectOperations(TrackId(t));
    for (auto& [ordinal, device] : devices_) {
      std::ranges::stable_sort(device.operations, [](const Operation& a, const Operation& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
    }
    return devices_;
  }

 private:
  void CollectEnds(TrackId id) {
    const Track& track = trace_.track(id);
    for (uint32_t i = 0; i < track.size(); ++i) {
      const EventRef event{id, EventIndex(i)};
      if (completion_.valid() && track.name(event.index) == completion_) {
        CollectCompletion(event, track.end(event.index));
      } else if (trace_.name(event).starts_with("end: ")) {
        if (const auto flow = trace_.FindArg(event, consumer_)) ends_[flow->bits] = track.begin(event.index);
      }
    }
  }

  void CollectCompletion(EventRef event, Ps at) {
    const std::optional<ArgValue> ordinal = trace_.FindArg(event, ordinal_);
    const std::optional<int64_t> run = RunOf(event);
    if (!ordinal || !run) return;
    const auto [found, added] = devices_[ordinal->integer().value_or(0)].complete_at.emplace(*run, at);
    if (!added) found->second = std::max(found->second, at);
  }

  void CollectOperations(TrackId id) {
    const Track& track = trace_.track(id);
    if (track.info().kind != TrackKind::kThread) return;
    for (uint32_t i = 0; i < track.size(); ++i) {
      if (!IsOperation(track, EventIndex(i))) continue;
      const EventRef event{id, EventIndex(i)};
      const std::optional<ArgValue> ordinal = trace_.FindArg(event, ordinal_);
      CpuDevice& device = devices_[ordinal->integer().value_or(0)];
      Operation operation{event, track.begin(event.index), track.end(event.index), {}};
      operation.end = std::max(operation.end, MarkedEnd(event, device).value_or(operation.end));
      EventIndex parent = track.parent(event.index);
      while (parent.valid() && !IsOperation(track, parent)) parent = track.parent(parent);
      if (parent.valid()) operation.parent = {id, parent};
      device.operations.push_back(operation);
    }
  }

  // When the operation's end event began, or its run was complete, whichever was first.
  std::optional<Ps> MarkedEnd(EventRef event, const CpuDevice& device) const {
    const auto flow = trace_.FindArg(event, producer_);
    const auto end = flow ? ends_.find(flow->bits) : ends_.end();
    if (end == ends_.end()) return std::nullopt;
    const std::optional<int64_t> run = RunOf(event);
    const auto complete = run ? device.complete_at.find(*run) : device.complete_at.end();
    return complete == device.complete_at.end() ? end->second : std::min(end->second, complete->second);
  }

  std::optional<int64_t> RunOf(EventRef event) const {
    const std::optional<ArgValue> run = run_(trace_.track(event.track), event.index);
    return run ? run->integer() : std::nullopt;
  }

  bool IsOperation(const Track& track, EventIndex i) const { return has_op_[track.args(i).value]; }

  const Trace& trace_;
  ArgColumn run_;
  StringId hlo_op_, ordinal_, producer_, consumer_, completion_;
  std::vector<bool> has_op_;               // by argument set
  std::unordered_map<uint64_t, Ps> ends_;  // by flow
  std::map<int64_t, CpuDevice> devices_;
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
  if (!rows.any()) return;
  size_t added = 0;
  for (const auto& [ordinal, device] : rows.Collect()) {
    if (device.operations.empty()) continue;
    if (++added > limits::kMaxDevices) {
      builder.Lose(LossKind::kCapped, "CPU devices", "operations of devices beyond the limit",
                   device.operations.size());
      continue;
    }
    AddDevice(ordinal, device.operations, builder);
  }
}

}  // namespace gait::xplane
