#include "gait/capture/recording/recording.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <system_error>

#include <fmt/format.h>

#include "gait/base/file_writer.h"
#include "gait/read/xplane/reader.h"
#include "gait/report/numbers.h"
#include "gait/write/chrome_json.h"
#include "gait/write/manifest.h"
#include "gait/write/xplane_counters.h"
#include "gait/write/xplane_stats.h"

namespace gait::capture {
namespace {

using Progress = std::function<void(double)>;

// The name under which JAX leaves the same trace, and which guides tell people to open. Without a second name
// the file is still there under its own.
void LinkForPerfetto(const std::filesystem::path& trace) {
  std::error_code error;
  std::filesystem::create_hard_link(trace, trace.parent_path() / "perfetto_trace.json.gz", error);
}

std::string BaseName(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

std::string Recording::Counters(State& state, std::string_view xspace) {
  if (!state.request.metrics) return {};
  const std::vector<CounterSeries>& series = state.request.metrics->Stop();
  const std::optional<int64_t> start = write::SessionStart(xspace);
  const std::string counters = start ? write::XPlaneCounters(series, *start) : std::string();
  const std::scoped_lock lock(state.mutex);
  state.bytes += counters.size();
  return counters;
}

std::string Recording::Programs(State& state) {
  if (!state.request.programs) return {};
  const Result<std::string> collected = state.request.programs->Collect();
  state.request.programs.reset();
  const std::scoped_lock lock(state.mutex);
  if (!collected) {
    state.missing.push_back({LossKind::kCapture, state.request.path, collected.error().what, 1});
    return {};
  }
  std::string programs = write::WithPlaneStats(*collected, "/host:metadata", state.request.versions);
  state.bytes += programs.size();
  return programs;
}

bool Recording::State::WriteBeside(const std::string& path, std::string_view content) {
  const Result<void> written = WriteFile(path, {content}, {.keep_free = request.keep_free});
  const std::scoped_lock lock(mutex);
  if (written) {
    beside.emplace_back(BaseName(path), content.size());
  } else {
    read_back->losses.push_back({LossKind::kCapture, path, written.error().what, 1});
  }
  return written.has_value();
}

std::string Recording::Manifest(const State& state) {
  const std::scoped_lock lock(state.mutex);
  const RecordingRequest& request = state.request;
  write::Manifest manifest{
      request.version, request.capture, request.uncaptured, {{BaseName(request.path), state.bytes}}, {}, {}};
  if (state.read_back) {
    manifest.files[0].events = state.read_back->events;
    manifest.devices = state.read_back->devices;
    manifest.losses = state.read_back->losses;
  }
  for (const auto& [name, bytes] : state.beside) manifest.files.push_back({name, bytes});
  return write::ManifestText(manifest);
}

void Recording::Announce(const State& state, const std::optional<Error>& error) {
  if (state.request.quiet) return;
  std::string text;
  if (error) {
    text = fmt::format("gait: {}\n", error->what);
    if (!error->hint.empty()) text += fmt::format("      {}\n", error->hint);
    text += "      The program goes on; this capture is lost.\n";
  } else if (state.read_back) {
    text = fmt::format("gait: captured {}, {} events", state.request.path, state.read_back->events);
    text += fmt::format(", {}\n", report::BytesText(state.bytes));
    for (const Loss& loss : state.read_back->losses) {
      if (loss.kind == LossKind::kCapture) text += fmt::format("      {}\n", loss.reason);
    }
  }
  std::fputs(text.c_str(), stderr);
}

Recording::Recording(SharedBytes content, RecordingRequest request) : state_(std::make_shared<State>()) {
  state_->request = std::move(request);
  state_->bytes = content.view.size();
  const std::shared_ptr<State> state = state_;
  std::vector<Stage> stages;
  stages.push_back(
      {"writing", [state, content = std::move(content)](const Progress& progress) -> Result<void> {
         if (content.view.empty()) {
           return Unreadable("JAX's profiler handed out an empty capture.",
                             "It does so for more than 2 GiB: capture fewer steps, or fewer events a step.");
         }
         const std::string counters = Counters(*state, content.view);
         const std::string programs = Programs(*state);
         return WriteFile(state->request.path, {content.view, counters, programs},
                          {.keep_free = state->request.keep_free, .progress = progress});
       }});
  // Read once for the check and the conversion, on one thread: the others belong to the program.
  const auto trace = std::make_shared<std::optional<Trace>>();
  stages.push_back({"checking", [state, trace](const Progress& progress) -> Result<void> {
                      const std::string& path = state->request.path;
                      GAIT_TRY(*trace, xplane::ReadFile(path, {.threads = 1, .progress = progress}));
                      ReadBack seen =
                          LookAt(**trace, path, state->request.if_idle, state->request.without_end);
                      const std::scoped_lock lock(state->mutex);
                      seen.losses.insert(seen.losses.end(), state->missing.begin(), state->missing.end());
                      state->read_back = std::move(seen);
                      return {};
                    }});
  if (!state_->request.perfetto_path.empty()) {
    stages.push_back({"converting", [state, trace](const Progress& progress) -> Result<void> {
                        const std::string& path = state->request.perfetto_path;
                        if (state->WriteBeside(path, write::ChromeJson(**trace, progress)))
                          LinkForPerfetto(path);
                        return {};
                      }});
  }
  for (const auto& [name, bytes] : state_->request.beside) {
    stages.push_back({"writing", [state, path = name, text = bytes](const Progress&) -> Result<void> {
                        state->WriteBeside(path, text);
                        return {};
                      }});
  }
  stages.push_back({"describing", [state](const Progress&) {
                      return WriteFile(state->request.manifest_path, {Manifest(*state)});
                    }});
  stages.push_back({.name = "cleaning up",
                    .run = [state](const Progress&) -> Result<void> {
                      // A folder without a capture is nobody's; one that others use is not empty.
                      std::error_code ignored;
                      const std::filesystem::path path(state->request.path);
                      if (!std::filesystem::exists(path, ignored))
                        std::filesystem::remove(path.parent_path(), ignored);
                      return {};
                    },
                    .always = true});
  job_ = Background::Get().Submit(std::move(stages));
  // Announced from a job of its own, which sees how this one ended.
  announcement_ =
      Background::Get().Submit({{"announcing", [state, job = job_](const Progress&) -> Result<void> {
                                   Announce(*state, job->error());
                                   return {};
                                 }}});
}

uint64_t Recording::bytes() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->bytes;
}

std::optional<ReadBack> Recording::read_back() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->read_back;
}

void Recording::UpdateManifest(std::string uncaptured) {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->request.uncaptured = std::move(uncaptured);
  }
  Background::Get().Submit({{"describing", [state = state_, job = job_](const Progress&) -> Result<void> {
                               if (job->error()) return {};
                               return WriteFile(state->request.manifest_path, {Manifest(*state)});
                             }}});
}

}  // namespace gait::capture
