#include "capture_job.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "check.h"
#include "errors.h"
#include "gait/base/file_writer.h"
#include "gait/read/xplane/reader.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"
#include "gait/write/chrome_json.h"
#include "gait/write/xplane_counters.h"
#include "gait/write/xplane_stats.h"

namespace nb = nanobind;

namespace gait::python {
namespace {

using Progress = std::function<void(double)>;

// Keeps a bytes object alive from a thread without the GIL. It is let go by the interpreter itself, later.
class HeldBytes {
 public:
  explicit HeldBytes(nb::bytes content)
      : view_(static_cast<const char*>(content.data()), content.size()), object_(content.release().ptr()) {}
  ~HeldBytes() {
    const auto let_go = [](void* object) {
      Py_DECREF(static_cast<PyObject*>(object));
      return 0;
    };
    // A full queue empties within milliseconds; when it does not, the interpreter is gone and so is the
    // object.
    for (int tries = 0; Py_AddPendingCall(let_go, object_) != 0 && tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  std::string_view view() const { return view_; }

 private:
  std::string_view view_;
  PyObject* object_;
};

std::string LossesJson(const std::vector<Loss>& losses) {
  std::string json = "[";
  for (const Loss& loss : losses) {
    json += fmt::format("{}{{\"kind\":{},\"place\":{},\"reason\":{},\"count\":{}}}",
                        json.size() > 1 ? "," : "", report::JsonString(Name(loss.kind)),
                        report::JsonString(loss.place), report::JsonString(loss.reason), loss.count);
  }
  return json + "]";
}

// The name under which JAX leaves the same trace, and which guides tell people to open. Without a second name
// the file is still there under its own.
void LinkForPerfetto(const std::filesystem::path& trace) {
  std::error_code error;
  std::filesystem::create_hard_link(trace, trace.parent_path() / "perfetto_trace.json.gz", error);
}

std::string BaseName(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

std::string CaptureJob::Counters(State& state, std::string_view xspace) {
  if (!state.request.metrics) return {};
  const std::vector<CounterSeries>& series = state.request.metrics->Stop();
  const std::optional<int64_t> start = write::SessionStart(xspace);
  const std::string counters = start ? write::XPlaneCounters(series, *start) : std::string();
  const std::scoped_lock lock(state.mutex);
  state.bytes += counters.size();
  return counters;
}

std::string CaptureJob::Programs(State& state) {
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

bool CaptureJob::State::WriteBeside(const std::string& path, std::string_view content) {
  const Result<void> written = WriteFile(path, {content}, {.keep_free = request.keep_free});
  const std::scoped_lock lock(mutex);
  if (written) {
    beside.emplace_back(BaseName(path), content.size());
  } else {
    checked->losses.push_back({LossKind::kCapture, path, written.error().what, 1});
  }
  return written.has_value();
}

std::string CaptureJob::Manifest(const State& state) {
  const std::scoped_lock lock(state.mutex);
  const CaptureRequest& request = state.request;
  std::string files =
      fmt::format("{{\"name\":{},\"bytes\":{}", report::JsonString(BaseName(request.path)), state.bytes);
  std::string devices = "[";
  std::vector<Loss> losses;
  if (state.checked) {
    for (const auto& [name, events] : state.checked->devices) {
      devices += fmt::format("{}{{\"name\":{},\"events\":{}}}", devices.size() > 1 ? "," : "",
                             report::JsonString(name), events);
    }
    losses = state.checked->losses;
    files += fmt::format(",\"events\":{}", state.checked->events);
  }
  files += "}";
  for (const auto& [name, bytes] : state.beside)
    files += fmt::format(",{{\"name\":{},\"bytes\":{}}}", report::JsonString(name), bytes);
  return fmt::format(
      "{{\"gait\":{},\n\"capture\":{},\n\"uncaptured\":{},\n\"files\":[{}],\n\"devices\":{}],\n\"losses\":{"
      "}}}\n",
      report::JsonString(GAIT_VERSION), request.capture, request.uncaptured, files, devices,
      LossesJson(losses));
}

void CaptureJob::Announce(const State& state, const std::optional<Error>& error) {
  if (state.request.quiet) return;
  std::string text;
  if (error) {
    text = fmt::format("gait: {}\n", error->what);
    if (!error->hint.empty()) text += fmt::format("      {}\n", error->hint);
    text += "      The program goes on; this capture is lost.\n";
  } else if (state.checked) {
    text = fmt::format("gait: captured {}, {} events", state.request.path, state.checked->events);
    text += fmt::format(", {}\n", report::BytesText(state.bytes));
    for (const Loss& loss : state.checked->losses) {
      if (loss.kind == LossKind::kCapture) text += fmt::format("      {}\n", loss.reason);
    }
  }
  std::fputs(text.c_str(), stderr);
}

CaptureJob::CaptureJob(nb::bytes content, CaptureRequest request) : state_(std::make_shared<State>()) {
  state_->request = std::move(request);
  state_->bytes = content.size();
  const auto held = std::make_shared<HeldBytes>(std::move(content));
  const std::shared_ptr<State> state = state_;
  std::vector<capture::Stage> stages;
  stages.push_back({"writing", [state, held](const Progress& progress) -> Result<void> {
                      if (held->view().empty()) {
                        return Unreadable(
                            "JAX's profiler handed out an empty capture.",
                            "It does so for more than 2 GiB: capture fewer steps, or fewer events a step.");
                      }
                      const std::string counters = Counters(*state, held->view());
                      const std::string programs = Programs(*state);
                      return WriteFile(state->request.path, {held->view(), counters, programs},
                                       {.keep_free = state->request.keep_free, .progress = progress});
                    }});
  // Read once for the check and the conversion, on one thread: the others belong to the program.
  const auto trace = std::make_shared<std::optional<Trace>>();
  stages.push_back({"checking", [state, trace](const Progress& progress) -> Result<void> {
                      const std::string& path = state->request.path;
                      GAIT_TRY(*trace, xplane::ReadFile(path, {.threads = 1, .progress = progress}));
                      CheckedCapture checked = CheckCapture(**trace, path, state->request.if_idle);
                      const std::scoped_lock lock(state->mutex);
                      checked.losses.insert(checked.losses.end(), state->missing.begin(),
                                            state->missing.end());
                      state->checked = std::move(checked);
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
  job_ = capture::Background::Get().Submit(std::move(stages));
  // Announced from a job of its own, which sees how this one ended.
  announcement_ =
      capture::Background::Get().Submit({{"announcing", [state, job = job_](const Progress&) -> Result<void> {
                                            Announce(*state, job->error());
                                            return {};
                                          }}});
}

uint64_t CaptureJob::bytes() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->bytes;
}

std::optional<CheckedCapture> CaptureJob::checked() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->checked;
}

void CaptureJob::UpdateManifest(std::string uncaptured) {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->request.uncaptured = std::move(uncaptured);
  }
  capture::Background::Get().Submit(
      {{"describing", [state = state_, job = job_](const Progress&) -> Result<void> {
          if (job->error()) return {};
          return WriteFile(state->request.manifest_path, {Manifest(*state)});
        }}});
}

namespace {

std::chrono::nanoseconds Seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

void NewJob(CaptureJob* self, nb::bytes content, std::string path, std::string manifest_path,
            std::string capture, std::string uncaptured, std::string perfetto_path, uint64_t keep_free,
            std::string if_idle, bool quiet, std::vector<std::pair<std::string, nb::bytes>> beside,
            std::shared_ptr<capture::MetricSampler> metrics,
            std::shared_ptr<capture::PluginPrograms> programs,
            std::vector<std::pair<std::string, std::string>> versions) {
  CaptureRequest request{std::move(path),
                         std::move(perfetto_path),
                         std::move(manifest_path),
                         std::move(capture),
                         std::move(uncaptured),
                         keep_free,
                         std::move(if_idle),
                         quiet,
                         {},
                         std::move(metrics),
                         std::move(programs),
                         std::move(versions)};
  for (auto& [name, bytes] : beside) {
    request.beside.emplace_back(name, std::string(static_cast<const char*>(bytes.data()), bytes.size()));
  }
  new (self) CaptureJob(std::move(content), std::move(request));
}

void BindSources(nb::module_& module) {
  nb::class_<capture::MetricSampler>(module, "MetricSampler")
      .def(nb::new_([](const std::vector<std::string>& nvidia, double interval) {
             const auto open = [nvidia] {
               capture::MetricSampler::Sources sources;
               sources.push_back(capture::ProcessMetrics());
               if (auto gpus = capture::NvidiaMetrics(nvidia)) sources.push_back(std::move(gpus));
               return sources;
             };
             return std::make_shared<capture::MetricSampler>(open, Seconds(interval));
           }),
           nb::arg("nvidia"), nb::arg("interval"))
      .def("stop", [](capture::MetricSampler& self) {
        const nb::gil_scoped_release release;
        self.Stop();
      });
  nb::class_<capture::PluginPrograms>(module, "PluginPrograms").def_static("start", [] {
    const nb::gil_scoped_release release;
    return capture::PluginPrograms::Start();
  });
}

// What is known of a capture when it is written.
void BindResults(nb::class_<CaptureJob>& job) {
  using Losses = std::vector<std::tuple<std::string, std::string, std::string, uint64_t>>;
  job.def_prop_ro("error",
                  [](const CaptureJob& self) -> std::optional<std::pair<std::string, std::string>> {
                    const std::optional<Error> error = self.job().error();
                    if (!error) return std::nullopt;
                    return std::pair(error->what, error->hint);
                  })
      .def_prop_ro("events",
                   [](const CaptureJob& self) -> std::optional<uint64_t> {
                     const auto checked = self.checked();
                     return checked ? std::optional(checked->events) : std::nullopt;
                   })
      .def_prop_ro("devices",
                   [](const CaptureJob& self) {
                     const auto checked = self.checked();
                     return checked ? checked->devices : std::vector<std::pair<std::string, uint64_t>>();
                   })
      .def_prop_ro("reported",
                   [](const CaptureJob& self) {
                     const auto checked = self.checked();
                     return checked ? checked->reported : std::vector<std::string>();
                   })
      .def_prop_ro("losses", [](const CaptureJob& self) {
        Losses losses;
        if (const auto checked = self.checked()) {
          for (const Loss& loss : checked->losses) {
            losses.emplace_back(std::string(Name(loss.kind)), loss.place, loss.reason, loss.count);
          }
        }
        return losses;
      });
}

void BindJob(nb::module_& module) {
  nb::class_<CaptureJob> job(module, "CaptureJob");
  job.def("__init__", &NewJob, nb::arg("content"), nb::kw_only(), nb::arg("path"), nb::arg("manifest_path"),
          nb::arg("capture"), nb::arg("uncaptured"), nb::arg("perfetto_path") = "", nb::arg("keep_free") = 0,
          nb::arg("if_idle") = "", nb::arg("quiet") = false,
          nb::arg("beside") = std::vector<std::pair<std::string, nb::bytes>>(),
          nb::arg("metrics") = nb::none(), nb::arg("programs") = nb::none(),
          nb::arg("versions") = std::vector<std::pair<std::string, std::string>>())
      .def(
          "wait",
          [](const CaptureJob& self, double at_most) {
            const nb::gil_scoped_release release;
            return self.announcement().Wait(Seconds(at_most));
          },
          nb::arg("seconds"))
      .def_prop_ro("done", [](const CaptureJob& self) { return self.announcement().done(); })
      .def_prop_ro("stage", [](const CaptureJob& self) { return self.job().stage(); })
      .def_prop_ro("fraction", [](const CaptureJob& self) { return self.job().fraction(); })
      .def_prop_ro("bytes", &CaptureJob::bytes)
      .def("update_manifest", &CaptureJob::UpdateManifest, nb::arg("uncaptured"));
  BindResults(job);
}

void BindWriting(nb::module_& module) {
  module.def(
      "wait_for_writer",
      [](double at_most) {
        const nb::gil_scoped_release release;
        return capture::Background::Get().WaitAll(Seconds(at_most));
      },
      nb::arg("seconds"), "Until all captures are written; False when that takes longer.");
  module.def(
      "write_file",
      [](const std::string& path, const nb::bytes& content) {
        const Result<void> written =
            WriteFile(path, {std::string_view(static_cast<const char*>(content.data()), content.size())});
        if (!written) Raise(written.error());
      },
      nb::arg("path"), nb::arg("content"), "Writes a file whole or not at all.");
  module.def("pending", [] { return capture::Background::Get().pending(); });
}

}  // namespace

void BindCaptureJob(nb::module_& module) {
  BindSources(module);
  BindJob(module);
  BindWriting(module);
}

}  // namespace gait::python
