#include "recording.h"

#include <thread>

#include "gait/capture/atomic_file.h"
#include "gait/capture/remote/messages.h"

namespace gait::capture::remote {
namespace {

using namespace std::chrono_literals;
constexpr auto kConnectTime = 10s;

}  // namespace

Recording::Recording(Task task, std::function<void(const Report&)> report)
    : task_(std::move(task)),
      report_(std::move(report)),
      connected_(static_cast<std::ptrdiff_t>(task_.targets.size())) {
  for (const Target& target : task_.targets) {
    clients_.push_back(std::make_unique<ProfilerClient>(target.address));
  }
}

void Recording::Run() {
  std::vector<std::jthread> threads;
  for (size_t target = 0; target < task_.targets.size(); ++target) {
    threads.emplace_back([this, target] { RunTarget(target); });
  }
}

void Recording::Stop() {
  may_record_ = false;
  std::vector<std::jthread> threads;
  for (const auto& client : clients_) {
    threads.emplace_back([&] { client->Terminate(task_.session); });
  }
}

void Recording::GiveUp() {
  may_record_ = false;
  for (const auto& client : clients_) client->GiveUp();
}

void Recording::RunTarget(size_t target) {
  if (const auto failure = clients_[target]->Check(kConnectTime)) {
    may_record_ = false;
    Fail(target, *failure);
    connected_.count_down();
    return;
  }
  Say({Event::kConnected, target});
  connected_.arrive_and_wait();
  if (!may_record_) return;
  if (!announced_.exchange(true)) Say({Event::kRecording});

  grpc::Slice reply;
  const std::string request = ProfileRequest(task_.session, task_.duration_ms, task_.tracers);
  const std::chrono::milliseconds at_most(task_.duration_ms + task_.timeout_ms);
  if (const auto failure = clients_[target]->Profile(request, at_most, reply)) return Fail(target, *failure);
  const auto capture = CaptureOfReply({reinterpret_cast<const char*>(reply.begin()), reply.size()});
  if (!capture) return Fail(target, {Trouble::kNoProfiler, capture.error().what});
  if (capture->empty()) return Fail(target, {Trouble::kEmpty});
  Say({Event::kReceived, target, capture->size()});
  const Result<void> written = WriteAtomically(task_.targets[target].path, {*capture});
  if (!written) return Fail(target, {Trouble::kUnwritten, written.error().what});
  Say({Event::kWritten, target, capture->size()});
}

void Recording::Fail(size_t target, const Failure& failure) {
  Say({Event::kFailed, target, 0, failure.trouble, failure.detail});
}

void Recording::Say(const Report& report) {
  const std::scoped_lock lock(mutex_);
  report_(report);
}

}  // namespace gait::capture::remote
