// NVML, opened at run time: gait is built and runs where there is none.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "gait/capture/metrics.h"

namespace gait::capture {
namespace {

// The parts of NVML's interface that are used, in its own layout (stable since driver 2010).
using Handle = void*;
using Status = int;
constexpr Status kSuccess = 0;
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned int gpu, memory;
};
struct RunningProcess {
  unsigned int pid;
  unsigned long long used;
  unsigned int gpu_instance, compute_instance;
};
constexpr int kTemperatureGpu = 0;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;

struct Library {
  Status (*init)();
  Status (*by_index)(unsigned int, Handle*);
  Status (*by_uuid)(const char*, Handle*);
  Status (*memory)(Handle, Memory*);
  Status (*utilization)(Handle, Utilization*);
  Status (*power)(Handle, unsigned int* milliwatts);
  Status (*temperature)(Handle, int, unsigned int* celsius);
  Status (*clock)(Handle, int, unsigned int* mhz);
  Status (*processes)(Handle, unsigned int* count, RunningProcess*);  // null before driver 450
};

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

class Nvidia : public MetricSource {
 public:
  Nvidia(Library library, std::vector<std::pair<std::string, Handle>> devices)
      : library_(library), devices_(std::move(devices)) {}

  void Read(const std::function<void(const std::string&, const char*, double)>& give) override {
    for (const auto& [name, device] : devices_) {
      Memory memory{};
      if (library_.memory(device, &memory) == kSuccess) {
        give(name, "memory_used_bytes", static_cast<double>(memory.used));
      }
      Utilization busy{};
      if (library_.utilization(device, &busy) == kSuccess) {
        give(name, "utilization_percent", busy.gpu);
        give(name, "memory_utilization_percent", busy.memory);
      }
      unsigned int value = 0;
      if (library_.power(device, &value) == kSuccess) give(name, "power_watts", value / 1000.0);
      if (library_.temperature(device, kTemperatureGpu, &value) == kSuccess)
        give(name, "temperature_celsius", value);
      if (library_.clock(device, kClockSm, &value) == kSuccess) give(name, "sm_clock_mhz", value);
      if (library_.clock(device, kClockMemory, &value) == kSuccess) give(name, "memory_clock_mhz", value);
      if (const auto others = OtherProcesses(device)) give(name, "other_processes", *others);
    }
  }

 private:
  // That compute on the device. One of all is this process; by which number the driver knows it, a container
  // hides.
  std::optional<unsigned int> OtherProcesses(Handle device) const {
    std::array<RunningProcess, 64> processes;
    unsigned int count = processes.size();
    if (library_.processes == nullptr || library_.processes(device, &count, processes.data()) != kSuccess)
      return {};
    return count > 0 ? count - 1 : 0;
  }

  Library library_;
  std::vector<std::pair<std::string, Handle>> devices_;
};

}  // namespace

std::unique_ptr<MetricSource> NvidiaMetrics(const std::vector<std::string>& devices,
                                            const std::string& library) {
  // Stays open: its thread of the driver does not like to be unloaded.
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  Library nvml{};
  const bool complete = Find(opened, "nvmlInit_v2", nvml.init) &&
                        Find(opened, "nvmlDeviceGetHandleByIndex_v2", nvml.by_index) &&
                        Find(opened, "nvmlDeviceGetHandleByUUID", nvml.by_uuid) &&
                        Find(opened, "nvmlDeviceGetMemoryInfo", nvml.memory) &&
                        Find(opened, "nvmlDeviceGetUtilizationRates", nvml.utilization) &&
                        Find(opened, "nvmlDeviceGetPowerUsage", nvml.power) &&
                        Find(opened, "nvmlDeviceGetTemperature", nvml.temperature) &&
                        Find(opened, "nvmlDeviceGetClockInfo", nvml.clock);
  if (!complete || nvml.init() != kSuccess) return nullptr;
  if (!Find(opened, "nvmlDeviceGetComputeRunningProcesses_v3", nvml.processes)) {
    Find(opened, "nvmlDeviceGetComputeRunningProcesses_v2", nvml.processes);
  }
  std::vector<std::pair<std::string, Handle>> found;
  for (size_t i = 0; i < devices.size(); ++i) {
    const std::string& device = devices[i];
    Handle handle = nullptr;
    const bool index = !device.empty() && device.find_first_not_of("0123456789") == std::string::npos;
    const Status status =
        index ? nvml.by_index(static_cast<unsigned int>(std::strtoul(device.c_str(), nullptr, 10)), &handle)
              : nvml.by_uuid(device.c_str(), &handle);
    if (status == kSuccess) found.emplace_back(fmt::format("GPU {}", i), handle);
  }
  if (found.empty()) return nullptr;
  return std::make_unique<Nvidia>(nvml, std::move(found));
}

}  // namespace gait::capture
