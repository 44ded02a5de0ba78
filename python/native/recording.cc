#include "recording.h"

#include <chrono>
#include <thread>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "gait/base/file_writer.h"
#include "gait/capture/recording/recording.h"

namespace nb = nanobind;

namespace gait::python {
namespace {

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

std::chrono::nanoseconds Seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

void NewJob(capture::Recording* self, nb::bytes content, std::string path, std::string manifest_path,
            std::string capture, std::string uncaptured, std::string perfetto_path, uint64_t keep_free,
            std::string if_idle, std::map<std::string, uint64_t> without_end, bool quiet,
            std::vector<std::pair<std::string, nb::bytes>> beside,
            std::shared_ptr<capture::MetricSampler> metrics,
            std::shared_ptr<capture::PluginPrograms> programs,
            std::vector<std::pair<std::string, std::string>> versions) {
  capture::RecordingRequest request{GAIT_VERSION,
                                    std::move(path),
                                    std::move(perfetto_path),
                                    std::move(manifest_path),
                                    std::move(capture),
                                    std::move(uncaptured),
                                    keep_free,
                                    std::move(if_idle),
                                    std::move(without_end),
                                    quiet,
                                    {},
                                    std::move(metrics),
                                    std::move(programs),
                                    std::move(versions)};
  for (auto& [name, bytes] : beside) {
    request.beside.emplace_back(name, std::string(static_cast<const char*>(bytes.data()), bytes.size()));
  }
  const auto held = std::make_shared<HeldBytes>(std::move(content));
  new (self) capture::Recording({held, held->view()}, std::move(request));
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
void BindResults(nb::class_<capture::Recording>& job) {
  using Losses = std::vector<std::tuple<std::string, std::string, std::string, uint64_t>>;
  job.def_prop_ro("error",
                  [](const capture::Recording& self) -> std::optional<std::pair<std::string, std::string>> {
                    const std::optional<Error> error = self.job().error();
                    if (!error) return std::nullopt;
                    return std::pair(error->what, error->hint);
                  })
      .def_prop_ro("events",
                   [](const capture::Recording& self) -> std::optional<uint64_t> {
                     const auto seen = self.read_back();
                     return seen ? std::optional(seen->events) : std::nullopt;
                   })
      .def_prop_ro("devices",
                   [](const capture::Recording& self) {
                     const auto seen = self.read_back();
                     return seen ? seen->devices : std::vector<std::pair<std::string, uint64_t>>();
                   })
      .def_prop_ro("reported",
                   [](const capture::Recording& self) {
                     const auto seen = self.read_back();
                     return seen ? seen->reported : std::vector<std::string>();
                   })
      .def_prop_ro("losses", [](const capture::Recording& self) {
        Losses losses;
        if (const auto seen = self.read_back()) {
          for (const Loss& loss : seen->losses) {
            losses.emplace_back(std::string(Name(loss.kind)), loss.place, loss.reason, loss.count);
          }
        }
        return losses;
      });
}

void BindJob(nb::module_& module) {
  nb::class_<capture::Recording> job(module, "CaptureJob");
  job.def("__init__", &NewJob, nb::arg("content"), nb::kw_only(), nb::arg("path"), nb::arg("manifest_path"),
          nb::arg("capture"), nb::arg("uncaptured"), nb::arg("perfetto_path") = "", nb::arg("keep_free") = 0,
          nb::arg("if_idle") = "", nb::arg("without_end") = std::map<std::string, uint64_t>(),
          nb::arg("quiet") = false, nb::arg("beside") = std::vector<std::pair<std::string, nb::bytes>>(),
          nb::arg("metrics") = nb::none(), nb::arg("programs") = nb::none(),
          nb::arg("versions") = std::vector<std::pair<std::string, std::string>>())
      .def(
          "wait",
          [](const capture::Recording& self, double at_most) {
            const nb::gil_scoped_release release;
            return self.announcement().Wait(Seconds(at_most));
          },
          nb::arg("seconds"))
      .def_prop_ro("done", [](const capture::Recording& self) { return self.announcement().done(); })
      .def_prop_ro("stage", [](const capture::Recording& self) { return self.job().stage(); })
      .def_prop_ro("fraction", [](const capture::Recording& self) { return self.job().fraction(); })
      .def_prop_ro("bytes", &capture::Recording::bytes)
      .def("update_manifest", &capture::Recording::UpdateManifest, nb::arg("uncaptured"));
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

void BindRecording(nb::module_& module) {
  BindSources(module);
  BindJob(module);
  BindWriting(module);
}

}  // namespace gait::python
