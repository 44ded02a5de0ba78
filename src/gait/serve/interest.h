// Interest: counts the requests that wait for a piece of shared work. When the last one has gone, the work is
// told to stop. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>

namespace gait::serve {

class Interest {
 public:
  // The token for the thread that does the work.
  std::stop_token token() const { return stop_.get_token(); }
  // Adds a waiting request. False: all had gone before, and the work will not be finished.
  bool Join() {
    const std::scoped_lock lock(mutex_);
    if (stop_.stop_requested()) return false;
    ++waiting_;
    return true;
  }
  // One request has gone.
  void Leave() {
    const std::scoped_lock lock(mutex_);
    if (--waiting_ == 0) stop_.request_stop();
  }

 private:
  std::mutex mutex_;
  size_t waiting_ = 0;
  std::stop_source stop_;
};

// Leaves the interest when the client of a joined request goes, during the lifetime of this object.
class LeaveWhenGone {
 public:
  LeaveWhenGone(const std::stop_token& gone, std::shared_ptr<Interest> interest)
      : callback_(gone, Leaving{std::move(interest)}) {}

 private:
  struct Leaving {
    std::shared_ptr<Interest> interest;
    void operator()() const { interest->Leave(); }
  };
  std::stop_callback<Leaving> callback_;
};

}  // namespace gait::serve
