// For tests: traces of GPUs, streams, threads and programs made in a few lines. Times are in picoseconds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/trace/async_operations.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {

class TestTraceMaker {
 public:
  using Value = std::variant<int64_t, std::string>;
  using Args = std::vector<std::pair<std::string, Value>>;
  // A row of events: a stream of a device, a thread, a line of a device.
  struct Row {
    size_t index;
  };

  PlaneId Plane(const std::string& name, PlaneKind kind, std::optional<int64_t> ordinal = std::nullopt,
                const Args& args = {}) {
    gait::Plane plane;
    plane.id = static_cast<int64_t>(planes_++);
    plane.name = builder_.Intern(name);
    plane.kind = kind;
    plane.ordinal = ordinal;
    std::vector<Arg> list;
    for (const auto& [key, value] : args) list.push_back({builder_.Intern(key), Cell(value)});
    plane.args = builder_.InternArgs(list);
    return builder_.AddPlane(plane);
  }
  PlaneId Gpu(int64_t ordinal, const Args& args = {}) {
    return Plane("/device:GPU:" + std::to_string(ordinal), PlaneKind::kGpu, ordinal, args);
  }
  PlaneId Host() { return Plane("/host:CPU", PlaneKind::kHost); }

  Row Track(PlaneId plane, int64_t id, const std::string& name, TrackKind kind, bool derived = false) {
    TrackInfo info;
    info.plane = plane;
    info.id = id;
    info.name = builder_.Intern(name);
    info.kind = kind;
    info.derived = derived;
    info.layout = kind == TrackKind::kStream ? Layout::kLanes : Layout::kNested;
    writers_.push_back(builder_.NewTrack(info));
    return {writers_.size() - 1};
  }
  Row Stream(PlaneId plane, int64_t id) {
    return Track(plane, id, "Stream #" + std::to_string(id), TrackKind::kStream);
  }
  Row Thread(PlaneId plane, int64_t id, const std::string& name) {
    return Track(plane, id, name, TrackKind::kThread);
  }

  void Event(Row row, int64_t begin, int64_t end, const std::string& name, const Args& args = {}) {
    TrackWriter& writer = writers_[row.index];
    for (const auto& [key, value] : args) writer.Arg(builder_.Intern(key), Cell(value));
    writer.Event(Ps(begin), Ps(end - begin), builder_.Intern(name));
  }

  TraceBuilder& builder() { return builder_; }

  // The trace as a run of one host. `attributed` says which instruction an event's `hlo_op` is.
  std::shared_ptr<LoadedRun> Finish(const std::map<std::string, InstructionRef>& attributed = {}) {
    for (TrackWriter& writer : writers_) builder_.Add(std::move(writer));
    const Trace& so_far = builder_.trace();
    std::vector<Attribution> by_set(so_far.arg_sets().size());
    for (size_t i = 0; i < by_set.size(); ++i) {
      const auto op = so_far.FindArg(ArgSetId(i), "hlo_op");
      if (!op || !op->is_string()) continue;
      const auto found = attributed.find(std::string(so_far.text(op->string())));
      if (found != attributed.end()) by_set[i] = {AttributionKind::kByName, found->second};
    }
    builder_.SetAttribution(std::move(by_set));
    AddAsyncOperations(builder_);
    auto run = std::make_shared<LoadedRun>();
    run->run.path = run->typed = "runs/x";
    run->hosts.push_back({"host0", "", std::move(builder_).Finish()});
    return run;
  }

 private:
  ArgValue Cell(const Value& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) return ArgValue::Int(*number);
    return ArgValue::String(builder_.Intern(std::get<std::string>(value)));
  }

  TraceBuilder builder_;
  std::vector<TrackWriter> writers_;
  size_t planes_ = 0;
};

}  // namespace gait::analyze
