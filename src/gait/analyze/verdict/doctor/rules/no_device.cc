#include <fmt/format.h>

#include "gait/analyze/run/platforms.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict NoDevice(const Patient& patient) {
  if (patient.has_devices() || patient.is_cut_short()) return Verdict::Clean();
  Finding finding;
  finding.severity = Severity::kHigh;
  finding.title = "The capture holds no work of a device";
  std::vector<Platform> platforms;
  bool planes = false;
  for (const HostView& host : patient.view->hosts) {
    if (platforms.empty()) platforms = PlatformsOf(host.trace().environment());
    for (const Plane& plane : host.trace().planes()) planes |= plane.is_device();
  }
  finding.cause = planes ? "The devices are there, but nothing ran on them while the capture was open."
                  : platforms.empty()
                      ? "There is no device in it: only the host was traced."
                      : fmt::format("The program ran on {}, but the profiler could not trace the device.",
                                    platforms[0].version);
  finding.fix =
      "capture while steps run, and wait for the last one before stopping:\n"
      "  jax.block_until_ready(state)\n"
      "  jax.profiler.stop_trace()";
  if (platforms.empty()) {
    finding.fix += fmt::format("\nif steps ran on a GPU: {}\nif they ran on a TPU: {}", kIfCudaIsMissing,
                               kIfTpuIsMissing);
  }
  for (const Platform& platform : platforms)
    finding.fix += fmt::format("\nif steps ran: {}", platform.if_missing);
  finding.evidence.push_back({"no event on any device"});
  finding.see = {"info"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kNoDeviceRule;
const Rule kNoDeviceRule = {
    .name = "no_device",
    .topic = Topic::kCapture,
    .summary = "the capture holds no work of a device",
    .metrics = "steps",
    .check = NoDevice,
    .explain =
        "Speaks when no device of the capture did anything and no file of it is cut short. Nothing else can "
        "be judged then.",
};

}  // namespace gait::analyze
