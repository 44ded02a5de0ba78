#include "gait/capture/background.h"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "gait/base/thread_pool.h"

namespace gait::capture {

bool Job::done() const {
  const std::scoped_lock lock(mutex_);
  return done_;
}

bool Job::Wait(std::chrono::nanoseconds at_most) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [&] { return done_; });
}

std::optional<Error> Job::error() const {
  const std::scoped_lock lock(mutex_);
  return error_;
}

std::string Job::stage() const {
  const std::scoped_lock lock(mutex_);
  return done_ || current_ >= stages_.size() ? std::string() : stages_[current_].name;
}

double Job::fraction() const {
  const std::scoped_lock lock(mutex_);
  if (done_ || stages_.empty()) return 1;
  return (static_cast<double>(current_) + fraction_) / static_cast<double>(stages_.size());
}

// Memory that runs out here costs a capture, not the training.
static Result<void> Attempt(const Stage& stage, const std::function<void(double)>& progress) {
  try {
    return stage.run(progress);
  } catch (const std::exception& error) {
    return Unreadable(fmt::format("{}: {}.", stage.name, error.what()));
  }
}

void Job::Run() {
  const auto progress = [this](double fraction) {
    const std::scoped_lock lock(mutex_);
    fraction_ = fraction;
  };
  for (size_t i = 0; i < stages_.size(); ++i) {
    {
      const std::scoped_lock lock(mutex_);
      current_ = i;
      fraction_ = 0;
      if (error_ && !stages_[i].always) continue;
    }
    const Result<void> result = Attempt(stages_[i], progress);
    // What a stage holds on to is let go before the next one begins.
    stages_[i].run = nullptr;
    const std::scoped_lock lock(mutex_);
    if (!result && !error_) error_ = result.error();
  }
  const std::scoped_lock lock(mutex_);
  for (Stage& stage : stages_) stage.run = nullptr;
  done_ = true;
  changed_.notify_all();
}

Background& Background::Get() {
  // Never destroyed: its thread may still be at work when the process ends. A forked child cannot use its
  // parent's, whose lock nobody might ever open again.
  static std::atomic<Background*> background = nullptr;
  static std::atomic<pid_t> owner = 0;
  if (owner.load() != ::getpid()) {
    background = new Background;
    owner = ::getpid();
  }
  return *background;
}

std::shared_ptr<Job> Background::Submit(std::vector<Stage> stages) {
  auto job = std::make_shared<Job>(std::move(stages));
  const std::scoped_lock lock(mutex_);
  jobs_.push_back(job);
  if (!started_) {
    started_ = true;
    // The thread inherits the mask: signals are for the program's own threads.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { Loop(); }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  changed_.notify_all();
  return job;
}

bool Background::WaitAll(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [&] { return jobs_.empty(); });
}

size_t Background::pending() {
  const std::scoped_lock lock(mutex_);
  return jobs_.size();
}

void Background::Loop() {
  constexpr int kNice = 10;
  ::pthread_setname_np(::pthread_self(), "gait-writer");
  GiveWay(kNice);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    const std::shared_ptr<Job> job = jobs_.front();
    lock.unlock();
    job->Run();
    lock.lock();
    jobs_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace gait::capture
