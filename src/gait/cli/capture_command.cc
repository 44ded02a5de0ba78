#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include "gait/base/file_writer.h"
#include "gait/base/parse_time.h"
#include "gait/capture/remote/helper.h"
#include "gait/capture/remote/run_folder.h"
#include "gait/capture/remote/step_window.h"
#include "gait/cli/capture_report.h"
#include "gait/cli/load.h"
#include "gait/cli/remote_capture.h"
#include "gait/cli/suggest.h"
#include "gait/cli/verb.h"
#include "gait/report/numbers.h"
#include "gait/runs/names.h"

namespace gait::cli {
namespace {

namespace remote = capture::remote;
using Clock = std::chrono::steady_clock;

// CLI11 has such a check, in other words with each version.
CLI::Validator From(int64_t least, int64_t most) {
  return {[=](const std::string& text) {
            int64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            const bool fits = read.ec == std::errc() && read.ptr == end && least <= value && value <= most;
            return fits ? std::string() : fmt::format("'{}' is no number from {} to {}", text, least, most);
          },
          "INT"};
}

Result<int64_t> ParseMilliseconds(const std::string& text, const char* option) {
  if (text.find_first_not_of("0123456789.") == std::string::npos)
    return UsageError(fmt::format("{} {} lacks its unit.", option, text),
                      fmt::format("Write {0}s, or {0}ms.", text));
  const char* const example = "Give a time such as 2s or 500ms.";
  const Result<Ps> time = ParseTime(text);
  if (!time) return UsageError(fmt::format("{} '{}' is no time.", option, text), example);
  const int64_t milliseconds = time->value() / Milliseconds(1).value();
  if (milliseconds > 0) return milliseconds;
  return UsageError(fmt::format("{} {} is too short.", option, text), example);
}

// With the key that was probably meant.
Error Suggesting(Error error, std::string_view key) {
  const std::vector<std::string_view> known = remote::AdvancedKeys();
  const std::string_view meant = Suggest(key, known);
  if (!meant.empty() && meant != key) error.hint = fmt::format("Did you mean: {}", meant);
  return error;
}

void Remove(const remote::Target& target) {
  std::error_code error;
  std::filesystem::remove(target.path, error);
}

// Removes what came unless it turns out to be worth keeping.
class Files {
 public:
  explicit Files(const remote::Task& task) : task_(task) {}
  ~Files() {
    if (!kept_) std::ranges::for_each(task_.targets, Remove);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void Keep() { kept_ = true; }

 private:
  const remote::Task& task_;
  bool kept_ = false;
};

Error NoCapture(const remote::Target& target, std::string why) {
  // The file that it speaks of goes away.
  if (why.starts_with(target.path + ": ")) why.erase(0, target.path.size() + 2);
  return Explain(remote::Trouble::kNoCapture, target.address.Text(), why);
}

// Of several programs one may have sent something else.
void LeaveOutOthers(const remote::Task& task, const analyze::LoadedRun& run, Taken& taken) {
  for (size_t i = 0; i < task.targets.size(); ++i) {
    const remote::Target& target = task.targets[i];
    const auto lost = std::ranges::find(run.losses, target.path, &Loss::place);
    if (lost == run.losses.end()) continue;
    taken.hosts[i] = {0, NoCapture(target, lost->reason)};
    Remove(target);
  }
}

const remote::Target& FirstWithFile(const remote::Task& task, const Taken& taken) {
  const auto first = std::ranges::find_if(taken.hosts, [](const TakenHost& host) { return host.bytes > 0; });
  return task.targets[static_cast<size_t>(first - taken.hosts.begin())];
}

bool HasEvents(const analyze::LoadedRun& run) {
  return std::ranges::any_of(run.hosts, [](const auto& host) { return host.trace.event_count() > 0; });
}

class CaptureVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "capture",
        "capture",
        "a profile of running programs, from here",
        "Capture running JAX programs through their jax.profiler.start_server(PORT).",
        {"gait capture localhost:9012", "gait capture tpu-0:9012,tpu-1:9012 --duration 5s -o runs",
         "gait capture 9012 --steps 10"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("ADDRESS", addresses_, "HOST:PORT of a program, or several with commas; PORT alone: here")
        ->required()
        ->group("What");
    CLI::Option* duration =
        app.add_option("--duration", duration_, "record so long: 500ms, 2s; 2s if left out")
            ->group("What")
            ->type_name("TIME");
    app.add_option("--steps", steps_, "record at least so many whole steps, as long as it takes")
        ->check(From(1, 1'000'000))
        ->excludes(duration)
        ->group("What")
        ->type_name("N");
    app.add_option("-o,--out", directory_, "log directory; else $GAIT_LOGDIR, else runs")
        ->group("What")
        ->type_name("DIR");
    app.add_option("--host-tracer", tracers_.host, "0: no host events, 1: annotations, 2: runtime, 3: all; 2")
        ->check(From(0, 3))
        ->group("Recording")
        ->type_name("LEVEL");
    app.add_option("--device-tracer", tracers_.device, "0: no device events, 1: all; 1 if left out")
        ->check(From(0, 1))
        ->group("Recording")
        ->type_name("LEVEL");
    app.add_flag("--python-tracer", tracers_.python, "every Python call; slows the program down")
        ->group("Recording");
    app.add_option("--option", advanced_, "KEY=VALUE for JAX's profiler, any number of times")
        ->group("Recording")
        ->type_name("KEY=VALUE");
    app.add_option("--timeout", timeout_,
                   "the whole takes no longer beyond the recording; 5 minutes if left out")
        ->group("Recording")
        ->type_name("TIME");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(remote::Task task, MakeTask());
    GAIT_TRY(const std::string helper, remote::FindHelper());
    GAIT_TRY(const remote::RunFolder folder, remote::RunFolder::Make(LogDirectory()));
    task.session = "gait_" + folder.name();
    for (auto& target : task.targets) target.path = folder.File(target.path);
    Files files(task);
    const int64_t timeout_ms = task.timeout_ms;
    const auto began = Clock::now();
    int64_t recorded_ms = 0;
    for (int windows = 1;; ++windows) {
      const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
      task.timeout_ms = std::max<int64_t>(timeout_ms - (since - recorded_ms), 1);
      recorded_ms += task.duration_ms;
      GAIT_TRY(Taken taken, TakeCapture(helper, task, common.quiet));
      for (size_t i = 0; i < task.targets.size(); ++i) {
        if (taken.hosts[i].bytes == 0) Remove(task.targets[i]);  // of an earlier window, and not of this one
      }
      const auto loaded = Load(folder.path(), common);
      if (!loaded) return std::unexpected(NoCapture(FirstWithFile(task, taken), loaded.error().what));
      const auto& run = *loaded;
      LeaveOutOthers(task, *run, taken);
      GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(*run, {}));
      const CapturedRun captured{task, taken, view};
      if (steps_ && !taken.interrupted && windows < remote::kMaxWindows) {
        if (const auto next = remote::NextWindow(*steps_, task.duration_ms, StepsOf(view))) {
          task.duration_ms = *next;
          task.session = fmt::format("gait_{}_{}", folder.name(), windows + 1);
          continue;
        }
      }
      if (!HasEvents(*run)) {
        return Unreadable("nothing happened while it was recorded, so there is nothing to keep.",
                          "Does the program compute? A longer --duration sees more.");
      }
      files.Keep();
      GAIT_CHECK_OK(WriteFile(folder.File("gait.json"), {ManifestText(captured)}));
      return Finish(captured);
    }
  }

 private:
  Result<remote::Task> MakeTask() {
    remote::Task task;
    GAIT_TRY(const std::vector<remote::Address> addresses, remote::ParseAddresses(addresses_));
    const std::vector<std::string> names = remote::FileNames(addresses);
    for (size_t i = 0; i < addresses.size(); ++i) task.targets.push_back({addresses[i], names[i]});
    GAIT_TRY(task.duration_ms, ParseMilliseconds(duration_, "--duration"));
    if (steps_) task.duration_ms = remote::kFirstWindowMs;
    task.steps = steps_.value_or(0);
    GAIT_TRY(task.timeout_ms, ParseMilliseconds(timeout_, "--timeout"));
    for (const std::string& text : advanced_) {
      Result<remote::AdvancedOption> option = remote::ParseAdvancedOption(text);
      if (!option) return std::unexpected(Suggesting(option.error(), text.substr(0, text.find('='))));
      tracers_.advanced.push_back(std::move(*option));
    }
    task.tracers = tracers_;
    return task;
  }

  std::string LogDirectory() const {
    if (!directory_.empty()) return runs::ExpandHome(directory_);
    const char* logdir = std::getenv("GAIT_LOGDIR");
    return logdir != nullptr && *logdir != '\0' ? logdir : "runs";
  }

  Result<Outcome> Finish(const CapturedRun& captured) const {
    GAIT_TRY(report::Document document, CaptureDocument(captured));
    const int64_t complete = StepsOf(captured.view).complete;
    const bool too_few = steps_ && complete < *steps_;
    if (too_few) {
      document.warnings.push_back(
          fmt::format("{} whole steps were wanted, and {} are there{}.", *steps_, complete,
                      captured.taken.interrupted ? "" : ": the program makes no more"));
    }
    const bool all = captured.taken.captured() == captured.task.targets.size();
    return Outcome{std::move(document), !all || too_few};
  }

  std::string addresses_;
  std::string duration_ = "2s";
  std::optional<int64_t> steps_;
  std::string directory_;
  std::string timeout_ = "300s";
  remote::TracerOptions tracers_;
  std::vector<std::string> advanced_;
};

}  // namespace

std::unique_ptr<Verb> MakeCaptureVerb() { return std::make_unique<CaptureVerb>(); }

}  // namespace gait::cli
