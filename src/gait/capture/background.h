// Background: one thread of low priority for work that training need not wait for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gait/base/result.h"

namespace gait::capture {

// One part of a job: "writing", "checking". Reports its own progress, 0 to 1.
struct Stage {
  std::string name;
  std::function<Result<void>(const std::function<void(double)>& progress)> run;
  bool always = false;  // also after a stage has failed
};

// A list of stages, and how far they are done. Thread-safe.
class Job {
 public:
  explicit Job(std::vector<Stage> stages) : stages_(std::move(stages)) {}

  bool done() const;
  // Waits until the job is done; false when that takes longer.
  bool Wait(std::chrono::nanoseconds at_most) const;
  std::optional<Error> error() const;  // of the first stage that failed
  std::string stage() const;           // what is being done; empty before and after
  double fraction() const;             // of all stages

 private:
  friend class Background;
  void Run();

  std::vector<Stage> stages_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool done_ = false;
  size_t current_ = 0;
  double fraction_ = 0;  // of the current stage
  std::optional<Error> error_;
};

// Runs jobs one after the other, on one thread of low priority. The thread gets no signals.
class Background {
 public:
  // The one object of this process, which lives until the process ends. A child of a fork has an object of
  // its own: threads do not survive forks.
  static Background& Get();

  std::shared_ptr<Job> Submit(std::vector<Stage> stages);
  // Waits until all jobs are done; false when that takes longer.
  bool WaitAll(std::chrono::nanoseconds at_most);
  size_t pending();  // jobs that are not done

 private:
  Background() = default;
  void Loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;  // the first one is being done
  bool started_ = false;
};

}  // namespace gait::capture
