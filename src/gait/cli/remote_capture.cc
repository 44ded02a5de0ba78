#include "gait/cli/remote_capture.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/capture/remote/helper.h"
#include "gait/report/numbers.h"
#include "gait/report/progress.h"

namespace gait::cli {
namespace {

using capture::remote::Event;
using capture::remote::Report;
using capture::remote::Task;

int64_t UnixNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// What the helper says, as a Taken and a bar: of the time while it records, of the captures that have come
// afterwards.
class Watcher {
 public:
  Watcher(const Task& task, bool quiet) : task_(task), quiet_(quiet) {
    taken_.hosts.resize(task.targets.size());
  }

  void OnReport(const Report& report) {
    if (report.event == Event::kRecording) {
      taken_.begin_ns = UnixNow();
      Show(fmt::format("recording {}", Programs()));
    }
    if (report.event == Event::kRecording || report.target >= taken_.hosts.size()) return;
    TakenHost& host = taken_.hosts[report.target];
    if (report.event == Event::kWritten) host.bytes = report.bytes;
    if (report.event == Event::kFailed) {
      host.error = Explain(report.trouble, task_.targets[report.target].address.Text(), report.detail);
    }
  }

  void OnTick() {
    if (!bar_) return;
    const double recorded =
        static_cast<double>(UnixNow() - taken_.begin_ns) / (1e6 * static_cast<double>(task_.duration_ms));
    if (taken_.end_ns == 0 && recorded < 1) return bar_->Report(recorded);
    if (taken_.end_ns == 0) Collect(taken_.begin_ns + task_.duration_ms * 1'000'000);
    const auto done = std::ranges::count_if(
        taken_.hosts, [](const TakenHost& host) { return host.bytes > 0 || host.error; });
    bar_->Report(static_cast<double>(done) / static_cast<double>(taken_.hosts.size()));
  }

  void OnInterrupt(int times) {
    if (times > 1 || taken_.end_ns != 0) return;
    if (bar_) {
      taken_.interrupted = true;
      Collect(UnixNow());
    }
    if (!quiet_)
      std::fputs("gait: stopping. What was recorded is fetched; Ctrl-C again gives that up.\n", stderr);
  }

  Taken Finish() {
    bar_.reset();
    if (taken_.begin_ns != 0 && taken_.end_ns == 0) taken_.end_ns = UnixNow();
    return std::move(taken_);
  }

 private:
  std::string Programs() const { return report::Plural(task_.targets.size(), "program"); }
  void Show(const std::string& what) { bar_.emplace(STDERR_FILENO, what, quiet_); }
  void Collect(int64_t end_ns) {
    taken_.end_ns = end_ns;
    bar_.reset();
    Show(fmt::format("waiting for {}", report::Plural(task_.targets.size(), "capture")));
  }

  const Task& task_;
  const bool quiet_;
  Taken taken_{};
  std::optional<report::Progress> bar_{};
};

// What to say when there is nothing: the first failure, with all hosts that have the same.
Error NothingTaken(const Task& task, const Taken& taken) {
  std::vector<std::string> others;
  const Error* first = nullptr;
  for (size_t i = 0; i < taken.hosts.size(); ++i) {
    if (!taken.hosts[i].error) continue;
    if (first == nullptr) {
      first = &*taken.hosts[i].error;
    } else {
      others.push_back(task.targets[i].address.Text());
    }
  }
  if (first == nullptr) return {ErrorKind::kUnreadable, "interrupted before anything was recorded.", ""};
  Error error = *first;
  if (!others.empty()) error.what += fmt::format(" No capture of {} either.", fmt::join(others, ", "));
  if (taken.begin_ns == 0 && taken.hosts.size() > 1) {
    error.what += " Nothing was recorded: all have to answer.";
  }
  return error;
}

}  // namespace

size_t Taken::captured() const {
  return static_cast<size_t>(
      std::ranges::count_if(hosts, [](const TakenHost& host) { return host.bytes > 0; }));
}

Result<Taken> TakeCapture(const std::string& helper, const Task& task, bool quiet) {
  Watcher watcher(task, quiet);
  GAIT_CHECK_OK(RunHelper(helper, task,
                          {.report = [&](const Report& report) { watcher.OnReport(report); },
                           .tick = [&] { watcher.OnTick(); },
                           .interrupted = [&](int times) { watcher.OnInterrupt(times); }}));
  Taken taken = watcher.Finish();
  if (taken.captured() == 0) return std::unexpected(NothingTaken(task, taken));
  return taken;
}

}  // namespace gait::cli
