#include "gait/read/xplane/cpu_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "gait/base/limits.h"

namespace gait::xplane {
namespace {

struct Operation {
  EventRef event;
  Ps begin;
  Ps end;
  EventRef parent;  // the operation that it runs inside; on the same thread
};

class DeviceRows {
 public:
  explicit DeviceRows(const Trace& trace) : trace_(trace) {
    const auto find = [&](std::string_view key) { return trace.strings().Find(key).value_or(StringId()); };
    hlo_op_ = find("hlo_op");
    ordinal_ = find("device_ordinal");
    producer_ = find("_p");
    consumer_ = find("_c");
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

  // Operations by device ordinal, in order of begin.
  std::map<int64_t, std::vector<Operation>> Collect() {
    CollectEnds();
    std::map<int64_t, std::vector<Operation>> devices;
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) CollectTrack(TrackId(t), devices);
    for (auto& [ordinal, operations] : devices) {
      std::ranges::stable_sort(operations, [](const Operation& a, const Operation& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
    }
    return devices;
  }

 private:
  void CollectEnds() {
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      for (uint32_t i = 0; i < track.size(); ++i) {
        const EventRef event{TrackId(t), EventIndex(i)};
        if (!trace_.name(event).starts_with("end: ")) continue;
        if (const auto id = trace_.FindArg(event, consumer_)) ends_[id->bits] = track.begin(EventIndex(i));
      }
    }
  }

  void CollectTrack(TrackId id, std::map<int64_t, std::vector<Operation>>& devices) {
    const Track& track = trace_.track(id);
    if (track.info().kind != TrackKind::kThread) return;
    for (uint32_t i = 0; i < track.size(); ++i) {
      if (!IsOperation(track, EventIndex(i))) continue;
      const EventRef event{id, EventIndex(i)};
      const std::optional<ArgValue> ordinal = trace_.FindArg(event, ordinal_);
      Operation operation{event, track.begin(event.index), track.end(event.index), {}};
      if (const auto flow = trace_.FindArg(event, producer_)) {
        const auto end = ends_.find(flow->bits);
        if (end != ends_.end()) operation.end = std::max(operation.end, end->second);
      }
      EventIndex parent = track.parent(event.index);
      while (parent.valid() && !IsOperation(track, parent)) parent = track.parent(parent);
      if (parent.valid()) operation.parent = {id, parent};
      devices[ordinal->integer().value_or(0)].push_back(operation);
    }
  }

  bool IsOperation(const Track& track, EventIndex i) const { return has_op_[track.args(i).value]; }

  const Trace& trace_;
  StringId hlo_op_, ordinal_, producer_, consumer_;
  std::vector<bool> has_op_;  // by argument set
  std::unordered_map<uint64_t, Ps> ends_;
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
  const auto devices = rows.Collect();
  size_t added = 0;
  for (const auto& [ordinal, operations] : devices) {
    if (++added > limits::kMaxDevices) {
      builder.Lose(LossKind::kCapped, "CPU devices", "operations of devices beyond the limit",
                   operations.size());
      continue;
    }
    AddDevice(ordinal, operations, builder);
  }
}

}  // namespace gait::xplane
