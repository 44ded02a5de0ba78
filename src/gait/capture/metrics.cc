#include "gait/capture/metrics.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <exception>
#include <fstream>

namespace gait::capture {
namespace {

int64_t UnixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class Process : public MetricSource {
 public:
  void Read(const std::function<void(const std::string&, const char*, double)>& give) override {
    long pages = 0;
    long resident = 0;
    if (std::ifstream("/proc/self/statm") >> pages >> resident) {
      give("host", "process_memory_bytes",
           static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    }
    // Of all its threads together: 250 % are two and a half cores.
    const double now = Seconds(CLOCK_MONOTONIC);
    const double used = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (last_ > 0 && now > last_)
      give("host", "process_cpu_percent", 100 * (used - last_used_) / (now - last_));
    last_ = now;
    last_used_ = used;
  }

 private:
  static double Seconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  double last_ = 0;
  double last_used_ = 0;
};

}  // namespace

std::unique_ptr<MetricSource> ProcessMetrics() { return std::make_unique<Process>(); }

MetricSampler::MetricSampler(std::function<Sources()> open, std::chrono::nanoseconds interval)
    : open_(std::move(open)), interval_(interval), process_(::getpid()) {
  // The thread inherits the mask: signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Loop(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MetricSampler::~MetricSampler() { Stop(); }

const std::vector<CounterSeries>& MetricSampler::Stop() {
  if (process_ != ::getpid()) {
    if (thread_.joinable()) thread_.detach();
    return series_;
  }
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return series_;
}

void MetricSampler::Loop() {
  ::pthread_setname_np(::pthread_self(), "gait-metrics");
  try {
    sources_ = open_();
    std::unique_lock lock(mutex_);
    // Once at least: a capture may be over before this thread runs.
    for (size_t samples = 0; samples < kMostSamples && (samples == 0 || !stop_); ++samples) {
      lock.unlock();
      Sample();
      lock.lock();
      changed_.wait_for(lock, interval_, [&] { return stop_; });
    }
  } catch (const std::exception&) {  // without memory the series end here
  }
}

void MetricSampler::Sample() {
  const int64_t now = UnixNow();
  for (const auto& source : sources_) {
    source->Read([&](const std::string& device, const char* name, double value) {
      for (CounterSeries& series : series_) {  // a handful of each device
        if (series.device == device && series.name == name) {
          series.samples.push_back({now, value});
          return;
        }
      }
      series_.push_back({device, name, {{now, value}}});
    });
  }
}

}  // namespace gait::capture
