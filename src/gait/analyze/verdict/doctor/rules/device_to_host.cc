#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/transfer_evidence.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict DeviceToHost(const Patient& patient) {
  Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kFetching; });
  const Claims handling = claims;
  ClaimCopies(patient, Category::kCopyToHost, claims);
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const TransferPicture picture = PictureOf(patient, CopyKind::kDeviceToHost);
  finding.title = "Copies to the host";
  const Ps waits = patient.ledger.Cost(handling);
  finding.cause =
      waits * 2 > *finding.cost
          ? fmt::format(
                "The device idles {} while the host makes room for the copies and unpacks them; the copies "
                "themselves take {}.",
                patient.PerStep(waits), report::TimeText(*finding.cost - waits))
          : fmt::format("The device copies results to the host for {} while nothing else runs{}.",
                        patient.PerStep(*finding.cost),
                        picture.pageable > 0 ? "; the host's memory is pageable" : "");
  finding.fix =
      "keep intermediate results on the device; reduce before fetching; fetch in the background:\n"
      "  metrics.copy_to_host_async()          # now\n"
      "  value = float(metrics)                # some steps later\n"
      "a numpy function called with a jax array copies it to the host: use jax.numpy";
  finding.evidence = picture.evidence;
  for (Evidence& gap : patient.GapEvidence(handling, InScene)) finding.evidence.push_back(std::move(gap));
  finding.see = {"transfers"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kDeviceToHostRule;
const Rule kDeviceToHostRule = {
    .name = "device_to_host",
    .topic = Topic::kHost,
    .summary = "copies to the host that nothing hides",
    .metrics = "exposed_copies bytes_to_host",
    .check = DeviceToHost,
    .explain =
        "Speaks when copies to the host that no computation hides take 1 % of a step or more. Cost: that "
        "time, and the idle time in which the host made room for the bytes or copied them out of a staging "
        "buffer. What other waiting for them costs is in host_sync.",
};

}  // namespace gait::analyze
