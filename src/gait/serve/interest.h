// Interest: who waits for a piece of work that several may share. When the last of them has gone the work is
// told to stop. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>

namespace gait::serve {

class Interest {
 public:
  // For whoever does the work.
  std::stop_token token() const { return stop_.get_token(); }
  // One more waits. False: all had gone, and it is not done to its end.
  bool Join() {
    const std::scoped_lock lock(mutex_);
    if (stop_.stop_requested()) return false;
    ++waiting_;
    return true;
  }
  // One of them has gone.
  void Leave() {
    const std::scoped_lock lock(mutex_);
    if (--waiting_ == 0) stop_.request_stop();
  }

 private:
  std::mutex mutex_;
  size_t waiting_ = 0;
  std::stop_source stop_;
};

// Leaves when the client of one that joined goes, as long as it lives.
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
