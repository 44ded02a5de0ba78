#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/analyze/vocabulary/words.h"

namespace gait::analyze {
namespace {

bool Mentions(const std::string& text, std::string_view word) {
  for (const std::string& w : WordsOf(text)) {
    if (w.find(word) != std::string::npos) return true;
  }
  return false;
}

Verdict ProfilerErrors(const Patient& patient) {
  Finding finding;
  bool cupti = false;
  bool privilege = false;
  for (const HostView& host : patient.view->hosts) {
    for (const std::string& error : host.trace().environment().errors) {
      cupti |= Mentions(error, "cupti");
      privilege |= Mentions(error, "privilege");
      finding.evidence.push_back({fmt::format("{}: {}", host.host->name, error), host.host->name});
    }
  }
  if (finding.evidence.empty()) return Verdict::Clean();
  finding.severity = patient.has_devices() ? Severity::kWarning : Severity::kHigh;
  finding.title = cupti && !privilege ? "CUPTI is missing" : "The profiler reported errors";
  finding.cause = privilege ? "The user may not read the GPU's counters, so kernels were not recorded."
                  : cupti   ? "The library that records kernels (libcupti) could not be used."
                            : "The capture may be incomplete.";
  finding.fix =
      privilege
          ? "as root: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, or run the "
            "container with CAP_SYS_ADMIN"
      : cupti ? "pip install nvidia-cuda-cupti-cu12 (or -cu13, as your jaxlib), and see that "
                "LD_LIBRARY_PATH does not name another CUDA"
              : "read them below, and capture again";
  finding.see = {"info"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kProfilerErrorsRule;
const Rule kProfilerErrorsRule = {
    .name = "profiler_errors",
    .topic = Topic::kCapture,
    .summary = "errors of the profiler: CUPTI, privileges",
    .check = ProfilerErrors,
    .explain =
        "Speaks when the profiler wrote errors into the capture: libcupti missing, privileges missing.",
};

}  // namespace gait::analyze
