#include "recording.h"

#include <thread>

#include "gait/base/file_writer.h"
#include "gait/capture/remote/messages.h"

namespace gait::capture::remote {
namespace {

using namespace std::chrono_literals;
constexpr auto kConnectTime = 10s;

}  // namespace

Recording::Recording(Task task, std::function<void(const Report&)> report, std::function<bool()> is_alone)
    : task_(std::move(task)),
      report_(std::move(report)),
      is_alone_(std::move(is_alone)),
      clients_(task_.targets.size()),
      connected_(static_cast<std::ptrdiff_t>(task_.targets.size())),
      ended_(task_.targets.size()) {}

void Recording::Run() {
  std::vector<std::jthread> threads;
  for (size_t target = 0; target < task_.targets.size(); ++target) {
    threads.emplace_back([this, target] { RunTarget(target); });
  }
}

void Recording::Stop() {
  may_record_ = false;
  std::vector<std::jthread> threads;
  for (const auto& client : Connected()) {
    threads.emplace_back([this, client] { client->Stop(task_); });
  }
}

void Recording::GiveUp() {
  may_record_ = false;
  for (const auto& client : Connected()) client->GiveUp();
}

bool Recording::ForgetUnlessItRecords() {
  may_record_ = false;
  return !announced_;
}

void Recording::Expire() {
  const Failure late = announced_ ? Failure{Trouble::kDeadline} : Failure{Trouble::kNoAnswer, "time is up"};
  may_record_ = false;
  for (size_t target = 0; target < task_.targets.size(); ++target) Fail(target, late);
  GiveUp();
}

void Recording::RunTarget(size_t target) {
  const auto client = Connect(task_.targets[target].address, kConnectTime);
  if (!client) {
    may_record_ = false;
    Fail(target, client.error());
    connected_.count_down();
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    clients_[target] = *client;
  }
  Say({Event::kConnected, target});
  connected_.arrive_and_wait();
  if (!may_record_) return;
  if (!announced_.exchange(true)) Say({Event::kRecording});
  const auto failure = (*client)->Record(task_, [&](std::string_view capture) { Write(target, capture); });
  if (failure) Fail(target, *failure);
}

void Recording::Write(size_t target, std::string_view capture) {
  ++writing_;
  if (!End(target)) {
    --writing_;
    return;
  }
  Say({Event::kReceived, target, capture.size()});
  if (is_alone_() && !MayBeCapture(capture)) {
    --writing_;
    return;
  }
  const Result<void> written = WriteFile(task_.targets[target].path, {capture});
  --writing_;
  if (!written) return Say({Event::kFailed, target, 0, Trouble::kUnwritten, written.error().what});
  Say({Event::kWritten, target, capture.size()});
}

std::vector<std::shared_ptr<Client>> Recording::Connected() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::shared_ptr<Client>> connected;
  for (const auto& client : clients_) {
    if (client) connected.push_back(client);
  }
  return connected;
}

bool Recording::End(size_t target) {
  const std::scoped_lock lock(mutex_);
  const bool first = !ended_[target];
  ended_[target] = true;
  return first;
}

void Recording::Fail(size_t target, const Failure& failure) {
  if (End(target)) Say({Event::kFailed, target, 0, failure.trouble, failure.detail});
}

void Recording::Say(const Report& report) {
  const std::scoped_lock lock(mutex_);
  report_(report);
}

}  // namespace gait::capture::remote
