// The programs that a capture ran, in the order in which they were asked for: what steps are inferred from.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// One launch of a program, or one run of it on a device.
struct ProgramRun {
  Ps begin;          // on the host; of a run on the device whose call is not there, on the device
  uint64_t program;  // what tells programs apart: one number for all that a function was compiled to
  StringId name;
  EventRef call{};  // that asked for it; invalid track: not known
  Ps work{};        // of devices, for it

  TrackId thread() const { return call.track; }
};

// "PjRt...::Execute (jit_train_step)" runs jit_train_step, "jit_f(1219)" is a TPU's module with its program's
// id, "jit_f" a CPU's.
struct LaunchName {
  std::string_view program;
  std::optional<uint64_t> id{};
};
LaunchName ReadLaunchName(std::string_view name);

// The host's calls that say which run they start, each run's first, with the work of devices for them.
std::vector<ProgramRun> HostLaunches(const Trace& trace, const HostWorkItems& work);

// Of each thread the outermost calls of jitted functions, with the work of devices for them.
std::vector<ProgramRun> JittedCalls(const Trace& trace, const HostWorkItems& work);

// What one device ran.
struct DeviceRuns {
  std::vector<ProgramRun> runs{};   // in order of begin on the device
  std::vector<Ps> finish{};         // by run
  std::vector<uint32_t> of_item{};  // by piece of work: its run; kNoRun: none
  bool host_known = false;          // where the host launched each of them
};
inline constexpr uint32_t kNoRun = UINT32_MAX;

// By device: the runs on its own line of programs (modules of a TPU), or the operations that share a run_id.
std::vector<DeviceRuns> RunsOfDevices(const Trace& trace, const std::vector<Device>& devices,
                                      const HostWorkItems& work);

}  // namespace gait::analyze
