// gait-capture: started by `gait capture`, which says what to do in words and reads what became of it
// (capture/remote/task.h).
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "recording.h"

namespace {

using gait::capture::remote::Recording;
using gait::capture::remote::Report;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kToEnd{1};  // after all have been told that time is up

void Print(const Report& report) {
  const std::string line = gait::capture::remote::LineOfReport(report) + "\n";
  // When nobody listens any more, the captures are written all the same.
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

sigset_t Interrupts() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  return set;
}

// gait has gone: it reads no more of what is printed here.
bool IsAlone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

// The first interrupt ends the recording, the second one gives up; without gait it ends too, and is written.
// Where nothing is being recorded there is nothing to wait for, such as the look-up of a name. Nor is there
// when time is up.
void Watch(Recording& recording, Clock::time_point until, const std::atomic<bool>& done) {
  const sigset_t set = Interrupts();
  const timespec tick{0, 50'000'000};
  std::jthread stopping;
  bool alone = false;
  bool expired = false;
  for (int count = 0; !done;) {
    const bool interrupted = ::sigtimedwait(&set, nullptr, &tick) >= 0;
    const bool left = !alone && IsAlone();
    alone |= left;
    if (!expired && Clock::now() > until) {
      expired = true;
      recording.Expire();
    }
    if (Clock::now() > until + kToEnd && !recording.IsWriting()) std::_Exit(0);
    if (!interrupted && !(left && count == 0)) continue;
    if (recording.ForgetUnlessItRecords()) std::_Exit(0);
    if (++count > 1) {
      recording.GiveUp();
      continue;
    }
    // Again and again: a server forgets what it is told before it has begun to record.
    stopping = std::jthread([&] {
      while (!done) {
        recording.Stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  // gRPC's own log says the same as our reports, for other people.
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Blocked in every thread, those of gRPC too; one thread waits for them.
  const sigset_t set = Interrupts();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);

  const std::vector<std::string> words(argv + 1, argv + argc);
  auto task = gait::capture::remote::TaskOfWords(words);
  if (!task) {
    std::fprintf(stderr, "gait-capture: %s\n              %s\n", task.error().what.c_str(),
                 task.error().hint.c_str());
    return 2;
  }
  const auto until = Clock::now() + std::chrono::milliseconds(task->duration_ms + task->timeout_ms);
  Recording recording(std::move(*task), Print, IsAlone);
  std::atomic<bool> done = false;
  std::jthread watch([&] { Watch(recording, until, done); });
  recording.Run();
  done = true;
  return 0;
}
