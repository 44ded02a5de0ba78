// Metrics: memory, utilisation, power, temperature and clocks of devices and the host during a capture,
// sampled a few times a second.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gait/trace/counter_series.h"

namespace gait::capture {

// A source of values. Each call of Read asks the system once.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  // Calls give(device, name, value) for each value that is known now.
  virtual void Read(
      const std::function<void(const std::string& device, const char* name, double value)>& give) = 0;
};

// Memory and processor time of this process, from /proc.
std::unique_ptr<MetricSource> ProcessMetrics();

// NVIDIA GPUs, through the driver's own library (NVML); null where it is missing. `devices` are indices ("0")
// or UUIDs ("GPU-..."), in the program's own order: the first is "GPU 0". Devices that NVML does not know are
// left out.
std::unique_ptr<MetricSource> NvidiaMetrics(const std::vector<std::string>& devices,
                                            const std::string& library = "libnvidia-ml.so.1");

// Asks the sources on a thread of its own, from construction to Stop. Bounded: stops by itself after
// kMostSamples.
class MetricSampler {
 public:
  using Sources = std::vector<std::unique_ptr<MetricSource>>;

  // `open` is called on that thread: opening the driver takes time.
  MetricSampler(std::function<Sources()> open, std::chrono::nanoseconds interval);
  ~MetricSampler();
  MetricSampler(const MetricSampler&) = delete;
  MetricSampler& operator=(const MetricSampler&) = delete;

  // All series, in the order of their first samples. Later calls give the same.
  const std::vector<CounterSeries>& Stop();

 private:
  static constexpr size_t kMostSamples = 20'000;  // half an hour of ten a second

  void Loop();
  void Sample();

  const std::function<Sources()> open_;
  Sources sources_;  // of the thread
  const std::chrono::nanoseconds interval_;
  std::vector<CounterSeries> series_;  // of the thread, until it has ended
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  const pid_t process_;  // a forked child has the object, but not the thread
  std::thread thread_;
};

}  // namespace gait::capture
