// Progress: a bar on standard error for work that takes longer than a second. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace gait::report {

class Progress {
 public:
  // `what` is a short phrase: "reading vm.xplane.pb". Shows nothing when `descriptor` is no terminal, or when
  // `quiet`.
  Progress(int descriptor, const std::string& what, bool quiet = false);
  ~Progress();  // removes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Says how much is done, 0 to 1. Cheap enough to call often; draws at most ten times a second.
  void Report(double fraction);
  // Report as a callback, for code that does not know bars.
  std::function<void(double)> callback() {
    return [this](double fraction) { Report(fraction); };
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(double fraction);

  const int descriptor_;
  const std::string what_;
  const bool enabled_;
  std::atomic<Clock::rep> next_draw_;
  std::mutex mutex_;  // guards drawn_ and the terminal
  bool drawn_ = false;
};

}  // namespace gait::report
