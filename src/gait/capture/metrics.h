// Metrics: what a device and the host were up to while a capture ran, sampled a few times a second: memory,
// utilisation, power, temperature, clocks.
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

// Where values come from. Each call of Read asks the system once.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  // Calls give(device, name, value) for what is known now.
  virtual void Read(
      const std::function<void(const std::string& device, const char* name, double value)>& give) = 0;
};

// This process: memory and processor time, from /proc.
std::unique_ptr<MetricSource> ProcessMetrics();

// NVIDIA GPUs, through the driver's own library (NVML); null where it is missing. `devices` are indices ("0")
// or UUIDs ("GPU-..."), in the program's own order: the first is "GPU 0". Those that NVML does not know are
// left out.
std::unique_ptr<MetricSource> NvidiaMetrics(const std::vector<std::string>& devices,
                                            const std::string& library = "libnvidia-ml.so.1");

// Asks the sources on a thread of its own from construction to Stop. Bounded: after kMostSamples it stops by
// itself.
class MetricSampler {
 public:
  using Sources = std::vector<std::unique_ptr<MetricSource>>;

  // `open` is called on that thread: opening the driver takes its time.
  MetricSampler(std::function<Sources()> open, std::chrono::nanoseconds interval);
  ~MetricSampler();
  MetricSampler(const MetricSampler&) = delete;
  MetricSampler& operator=(const MetricSampler&) = delete;

  // What was seen, in the order in which it was first seen. Later calls give the same.
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
