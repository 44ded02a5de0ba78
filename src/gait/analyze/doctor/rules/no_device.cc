#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict NoDevice(const Patient& patient) {
  if (patient.has_devices() || patient.is_cut_short()) return Verdict::Clean();
  Finding finding;
  finding.severity = Severity::kHigh;
  finding.title = "The capture holds no work of a device";
  std::string version;
  bool planes = false;
  for (const HostView& host : patient.view->hosts) {
    const auto& versions = host.trace().environment().versions;
    for (const char* key : {"gpu_version", "tpu_version"}) {
      if (const auto found = versions.find(key); found != versions.end()) version = found->second;
    }
    for (const Plane& plane : host.trace().planes()) planes |= plane.is_device();
  }
  finding.cause =
      planes ? "The devices are there, but nothing ran on them while the capture was open."
      : version.empty()
          ? "There is no device in it: only the host was traced."
          : fmt::format("The program ran on {}, but the profiler could not trace the device.", version);
  finding.fix =
      "capture while steps run, and wait for the last one before stopping:\n"
      "  jax.block_until_ready(state)\n"
      "  jax.profiler.stop_trace()\n"
      "if steps ran: install CUPTI, close other profilers (Nsight), and use no unknown profiler options";
  finding.evidence.push_back({"no event on any device"});
  finding.see = "info";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kNoDeviceRule;
const Rule kNoDeviceRule = {"no_device", "the capture holds no work of a device", NoDevice,
                            "Speaks when no device of the capture did anything and no file of it is cut "
                            "short. Nothing else can be judged\n"
                            "then."};

}  // namespace gait::analyze
