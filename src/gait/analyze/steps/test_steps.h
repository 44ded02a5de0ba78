// For tests: a GPU, a host thread with annotations and launches, and the steps of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/launches.h"
#include "gait/analyze/device/work_class.h"
#include "gait/analyze/steps/find_steps.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze::step_testing {

struct Kernel {
  int64_t launch;
  int64_t begin;  // below 0: it is not in the capture
  int64_t end;
  std::string name = "ncclDevKernel_AllReduce";
};

struct Mark {
  int64_t step;
  int64_t begin;
  int64_t end;
  std::string name = "train";
  const char* argument = "step_num";
};

// One GPU with one stream; one host thread with annotations, and a launch of each kernel at time `launch`.
inline Trace MakeTrace(const std::vector<Mark>& marks, const std::vector<Kernel>& kernels,
                       const std::vector<std::pair<int64_t, std::string>>& program_launches = {}) {
  TraceBuilder builder;
  Plane gpu;
  gpu.name = builder.Intern("/device:GPU:0");
  gpu.kind = PlaneKind::kGpu;
  gpu.ordinal = 0;
  Plane host;
  host.name = builder.Intern("/host:CPU");
  host.kind = PlaneKind::kHost;
  TrackInfo stream;
  stream.plane = builder.AddPlane(gpu);
  stream.kind = TrackKind::kStream;
  stream.layout = Layout::kLanes;
  TrackInfo thread;
  thread.plane = builder.AddPlane(host);
  thread.kind = TrackKind::kThread;
  TrackWriter device = builder.NewTrack(stream);
  TrackWriter calls = builder.NewTrack(thread);
  const StringId correlation = builder.Intern("correlation_id");
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto id = ArgValue::Int(static_cast<int64_t>(i));
    if (kernels[i].begin >= 0) {
      device.Arg(correlation, id);
      device.Event(Ps(kernels[i].begin), Ps(kernels[i].end - kernels[i].begin),
                   builder.Intern(kernels[i].name));
    }
    calls.Arg(correlation, id);
    calls.Event(Ps(kernels[i].launch), Ps(1), builder.Intern("launch"));
  }
  for (const Mark& mark : marks) {
    calls.Arg(builder.Intern(mark.argument), ArgValue::Int(mark.step));
    calls.Event(Ps(mark.begin), Ps(mark.end - mark.begin), builder.Intern(mark.name));
  }
  for (const auto& [begin, program] : program_launches) {
    calls.Arg(builder.Intern("run_id"), ArgValue::Int(begin));
    calls.Event(Ps(begin), Ps(2), builder.Intern("PjRtLoadedExecutable::Execute (" + program + ")"));
  }
  builder.Add(std::move(device));
  builder.Add(std::move(calls));
  return std::move(builder).Finish();
}

inline std::vector<StepSeries> Steps(const Trace& trace) {
  const std::vector<Device> devices = FindDevices(trace);
  const WorkClasses classes(trace);
  const Launches launches(trace);
  HostWorkItems work;
  for (const Device& device : devices) work.push_back(WorkInOrder(trace, device, launches, classes));
  return FindSteps(trace, devices, work);
}

}  // namespace gait::analyze::step_testing
