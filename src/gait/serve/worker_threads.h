// WorkerThreads: runs jobs, each on a thread of its own up to a limit; further ones wait. Idle threads stay.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gait::serve {

class WorkerThreads {
 public:
  explicit WorkerThreads(size_t most) : most_(most) {}

  void Add(std::function<void()> job) {
    const std::scoped_lock lock(mutex_);
    if (finish_) return;
    jobs_.push_back(std::move(job));
    try {
      if (idle_ < jobs_.size() && threads_.size() < most_) threads_.emplace_back([this] { Work(); });
    } catch (const std::exception&) {  // the machine gives no more threads: those that are there do it later
      if (!threads_.empty()) return;
      jobs_.pop_back();
      throw;
    }
    wake_.notify_one();
  }

  // Waits until all jobs are done; jobs that still wait are run too.
  void Finish() {
    {
      const std::scoped_lock lock(mutex_);
      finish_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [this] { return finish_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      try {
        job();
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): memory, at worst
        // The connection of this job ends with the job; the other connections go on.
      }
      lock.lock();
    }
  }

  size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool finish_ = false;
};

}  // namespace gait::serve
