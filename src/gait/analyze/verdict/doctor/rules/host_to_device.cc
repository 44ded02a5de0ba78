#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/verdict/doctor/claims/transfer_evidence.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/analyze/vocabulary/host_names.h"

namespace gait::analyze {
namespace {

// When any thread of the host moved bytes that go to a device: all there is of a copy on a CPU.
IntervalSet MovedByHost(const Trace& trace) {
  std::vector<std::optional<bool>> moves(trace.strings().size());  // by name
  std::vector<Interval> times;
  for (const Track& track : trace.tracks()) {
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      std::optional<bool>& known = moves[track.name(EventIndex(i)).value];
      if (!known) known = MovesBytes(trace.text(track.name(EventIndex(i))));
      if (*known) times.push_back(track.interval(EventIndex(i)));
    }
  }
  return Normalize(std::move(times));
}

bool AnyMovedByHost(const Patient& patient, const Claims& staging) {
  for (const HostView& host : patient.view->hosts) {
    const IntervalPrefixSum moved(MovedByHost(host.trace()));
    for (const Claim& claim : staging) {
      const IdleSlice& piece = patient.ledger.idle()[claim.piece];
      if (piece.host == &host && piece.gap != nullptr && moved.Inside(piece.gap->time) > Ps()) return true;
    }
  }
  return false;
}

Verdict HostToDevice(const Patient& patient) {
  Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kStaging; });
  const Claims staging = claims;
  ClaimCopies(patient, Category::kCopyToDevice, claims);
  const TransferPicture picture = PictureOf(patient, CopyKind::kHostToDevice);
  // What looks like staging is none where nothing was copied: neither by the device nor by the host, which is
  // all there is of a copy on a CPU.
  const bool copied = picture.worst != nullptr || claims.size() > staging.size() ||
                      (!staging.empty() && AnyMovedByHost(patient, staging));
  if (!copied || !patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Copies to the device";
  const Ps waits = patient.ledger.Cost(staging);
  finding.cause =
      waits * 2 > *finding.cost
          ? fmt::format("The device idles {} while the host prepares the bytes{}, more than the copies take.",
                        patient.PerStep(waits),
                        picture.pageable > 0 ? " (they come from pageable memory)" : "")
          : fmt::format("The device waits {} for copies that no computation hides.",
                        patient.PerStep(*finding.cost));
  finding.fix = fmt::format(
      "{}send the next batch while the device works on this one:\n"
      "  following = jax.device_put(next(batches))  # returns at once\n"
      "  state = train_step(state, batch); batch = following\n"
      "and send it as it is stored: a contiguous array in the layout and type that the device keeps",
      picture.every_step
          ? "if it is the same array in every step, put it on the device once, before the loop;\n"
          : "");
  finding.evidence = picture.evidence;
  for (Evidence& gap : patient.GapEvidence(staging, InScene)) finding.evidence.push_back(std::move(gap));
  finding.see = {"transfers"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kHostToDeviceRule;
const Rule kHostToDeviceRule = {
    .name = "host_to_device",
    .topic = Topic::kHost,
    .summary = "copies to the device that nothing hides",
    .metrics = "exposed_copies staging_wait bytes_to_device",
    .check = HostToDevice,
    .explain =
        "Speaks when copies from the host and their preparation cost 1 % of a step or more. Cost: the "
        "copies' time that no computation hides, and the idle time while the host staged the bytes "
        "(device_put, transposes into a staging buffer). Sent ahead, both can run behind computation.",
};

}  // namespace gait::analyze
