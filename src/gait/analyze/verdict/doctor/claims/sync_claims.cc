#include "gait/analyze/verdict/doctor/claims/sync_claims.h"

#include <algorithm>
#include <optional>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"

namespace gait::analyze {
namespace {

// When the host can have waited for a device in a loop that waits for every step: from its last launch of a
// step until the device was done with it. Waiting is seldom an event of its own. nullopt: launches are not
// known.
std::optional<IntervalSet> OutstandingWork(const HostView& host, size_t d) {
  if (host.series.empty() || !host.series[0].waits_in_loop()) return std::nullopt;
  std::vector<Interval> outstanding;
  size_t next = 0;
  const std::vector<WorkItem>& work = host.work[d];
  for (const Step& step : host.series[0].steps) {
    const Interval time = step.time[d];
    Interval waited{time.begin, time.begin};
    for (; next < work.size(); ++next) {
      const EventRef event = work[next].event;
      const Interval run = host.trace().track(event.track).interval(event.index);
      if (run.begin >= time.end) break;
      if (run.begin < time.begin) continue;
      const EventRef call = work[next].call;
      if (!work[next].has_call()) return std::nullopt;
      waited.begin = std::max(waited.begin, host.trace().track(call.track).begin(call.index));
      waited.end = std::max(waited.end, run.end);
    }
    outstanding.push_back(waited);
  }
  return Normalize(std::move(outstanding));
}

// How long the host of a device waited; nullopt: not known.
std::optional<Ps> WaitedFor(const Patient& patient, const HostView& host, size_t d) {
  const std::optional<IntervalSet> outstanding = OutstandingWork(host, d);
  if (!outstanding) return std::nullopt;
  std::vector<Interval> waits;
  const HostActivity& activity = ActivityOf(host);
  ForEachWait(host, [&](TrackId thread, EventIndex event) {
    waits.push_back(activity.time(host.trace().track(thread), {thread, event}));
  });
  for (const IdleSlice& piece : patient.ledger.idle()) {
    if (piece.host != &host || piece.device != d) continue;
    if (const auto still = StandstillBefore(piece)) waits.push_back(*still);
  }
  const IntervalSet seen = Normalize(std::move(waits));
  return TotalLength(Intersect(Union(seen, *outstanding), host.windows[d]));
}

}  // namespace

void ForEachWait(const HostView& host, const std::function<void(TrackId, EventIndex)>& f) {
  const HostActivity& activity = ActivityOf(host);
  const TrackId thread = activity.python_thread();
  if (!thread.valid() || host.windows.empty() || host.windows[0].empty()) return;
  const Interval span{host.windows[0].front().begin, host.windows[0].back().end};
  const Track& track = host.trace().track(thread);
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex event(i);
    if (!span.overlaps(activity.time(track, {thread, event}))) continue;
    if (activity.work({thread, event}) != HostWork::kSync) continue;
    if (IsWaitOfGait(host.trace().text(track.name(event)))) continue;
    if (activity.ends_wait({thread, event})) continue;
    const EventIndex parent = track.parent(event);
    if (parent.valid() && activity.work({thread, parent}) == HostWork::kSync) continue;
    f(thread, event);
  }
}

WaitingClaims ClaimHostWaits(const Patient& patient) {
  const std::vector<IdleSlice>& idle = patient.ledger.idle();
  WaitingClaims found{patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kSync; }), {}};
  for (const HostView& host : patient.view->hosts) {
    for (size_t d = 0; d < host.devices.size(); ++d) {
      const std::optional<Ps> waited = WaitedFor(patient, host, d);
      if (!waited) continue;
      const auto mine = [&](const Claim& claim) {
        return idle[claim.piece].host == &host && idle[claim.piece].device == d;
      };
      const auto seen = [&](const Claim& claim) { return idle[claim.piece].cause == IdleCause::kHostSync; };
      Ps left = *waited;
      Ps unseen;
      for (const Claim& claim : found.waiting) {
        if (!mine(claim)) continue;
        (seen(claim) ? left : unseen) += seen(claim) ? Ps() - claim.amount : claim.amount;
      }
      left = std::max(Ps(), left);
      if (unseen <= left) continue;
      for (Claim& claim : found.waiting) {
        if (!mine(claim) || seen(claim)) continue;
        const Int128 part = static_cast<Int128>(claim.amount.value()) * left.value() / unseen.value();
        const Ps whole = claim.amount;
        claim.amount = Ps(static_cast<int64_t>(part));
        found.own_work.push_back({claim.piece, whole - claim.amount, claim.amount});
      }
    }
  }
  return found;
}

}  // namespace gait::analyze
