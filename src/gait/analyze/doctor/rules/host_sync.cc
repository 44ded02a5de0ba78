#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/host_activity.h"
#include "gait/analyze/host_names.h"
#include "gait/analyze/transfers/copy_origin.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// Calls f(thread, event) for the calls on the thread of the program that wait for a result, the outermost of
// each, inside the time that the numbers cover.
void ForEachWait(const HostView& host, const std::function<void(TrackId, EventIndex)>& f) {
  const HostActivity& activity = ActivityOf(host);
  const TrackId thread = activity.python_thread();
  if (!thread.valid() || host.windows.empty() || host.windows[0].empty()) return;
  const Interval span{host.windows[0].front().begin, host.windows[0].back().end};
  const Track& track = host.trace().track(thread);
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex event(i);
    if (!span.overlaps(track.interval(event))) continue;
    if (activity.work({thread, event}) != HostWork::kSync) continue;
    const EventIndex parent = track.parent(event);
    if (parent.valid() && activity.work({thread, parent}) == HostWork::kSync) continue;
    f(thread, event);
  }
}

struct Wait {
  std::string name;  // "np.asarray(jax.Array)"
  uint64_t count = 0;
  Ps total;
  EventRef first;
  const HostView* host = nullptr;
};

std::vector<Wait> FindWaits(const RunView& view, Ps least) {
  std::map<std::string, Wait> by_name;
  for (const HostView& host : view.hosts) {
    ForEachWait(host, [&](TrackId thread, EventIndex event) {
      const Track& track = host.trace().track(thread);
      Wait& wait = by_name[std::string(CommonName(host.trace().text(track.name(event))))];
      if (wait.count++ == 0) {
        wait.first = {thread, event};
        wait.host = &host;
      }
      wait.total += track.end(event) - track.begin(event);
    });
  }
  std::vector<Wait> waits;
  for (auto& [name, wait] : by_name) {
    if (wait.total < least) continue;
    wait.name = name;
    waits.push_back(std::move(wait));
  }
  std::ranges::stable_sort(waits, std::greater(), &Wait::total);
  return waits;
}

Evidence Describe(const Wait& wait) {
  const Trace& trace = wait.host->trace();
  const Track& track = trace.track(wait.first.track);
  const Caller caller = DescribeCaller(trace, wait.first);
  std::string_view name = wait.name;
  if (name.starts_with('$')) name.remove_prefix(1);
  return {
      fmt::format("{} × {}, {} together{}", report::CountText(wait.count), name, report::TimeText(wait.total),
                  caller.python.empty() ? "" : ", called at " + caller.python),
      wait.host->host->name, std::string(trace.text(track.info().name)), track.interval(wait.first.index)};
}

// When the host can have waited for a device in a loop that waits for every step: from its last launch of a
// step until the device was done with it. Waiting is seldom an event of its own. nullopt: launches are not
// known.
std::optional<IntervalSet> OutstandingWork(const HostView& host, size_t d) {
  if (host.series.empty() || !host.series[0].waits) return std::nullopt;
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

// A host that runs ahead still does its own work in every step: no more can be gained than it waited. Claims
// of a device beyond that become smaller, each by the same part.
Claims BoundByWaiting(const Patient& patient, Claims claims) {
  const std::vector<IdleSlice>& idle = patient.ledger.idle();
  for (const HostView& host : patient.view->hosts) {
    std::vector<Interval> waits;
    ForEachWait(host, [&](TrackId thread, EventIndex event) {
      waits.push_back(host.trace().track(thread).interval(event));
    });
    const IntervalSet seen = Normalize(std::move(waits));
    for (size_t d = 0; d < host.devices.size(); ++d) {
      const std::optional<IntervalSet> outstanding = OutstandingWork(host, d);
      if (!outstanding) continue;
      const auto mine = [&](const Claim& claim) {
        return idle[claim.piece].host == &host && idle[claim.piece].device == d;
      };
      Ps claimed;
      for (const Claim& claim : claims) claimed += mine(claim) ? claim.amount : Ps();
      const Ps waited = TotalLength(Intersect(Union(seen, *outstanding), host.windows[d]));
      if (claimed <= waited) continue;
      for (Claim& claim : claims) {
        if (!mine(claim)) continue;
        const Int128 part = static_cast<Int128>(claim.amount.value()) * waited.value() / claimed.value();
        claim.amount = Ps(static_cast<int64_t>(part));
      }
    }
  }
  return claims;
}

Verdict HostSync(const Patient& patient) {
  const Claims claims = BoundByWaiting(
      patient, patient.ClaimIdle([](const IdleSlice& p) { return ReasonOf(p) == GapReason::kSync; }));
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const std::vector<Wait> waits = FindWaits(*patient.view, *finding.cost / 10);
  const bool every = patient.overview.series != nullptr && patient.overview.series->waits;
  finding.title = every ? "The host waits for every step" : "The host waits for results in the loop";
  finding.cause = fmt::format(
      "The host waits for a result{} and launches the next work only then; the device idles until it comes.",
      waits.empty() ? ""
                    : " (" + std::string(waits[0].name.substr(waits[0].name.starts_with('$') ? 1 : 0)) + ")");
  finding.fix =
      "let the host run ahead; look at results late and seldom:\n"
      "  if step % 100 == 0:\n"
      "      print(step, float(previous_loss))  # of an earlier step\n"
      "and no block_until_ready, .item(), float(), np.asarray or print of an array in every step";
  finding.evidence = patient.GapEvidence(claims, InScene);
  for (size_t i = 0; i < waits.size() && i < 2; ++i) finding.evidence.push_back(Describe(waits[i]));
  finding.see = "idle --cause host_sync";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kHostSyncRule;
const Rule kHostSyncRule = {
    "host_sync", "the host waits for results inside the loop", HostSync,
    "Speaks when the device idles for 1 % of a step or more because the host waited for a result\n"
    "(block_until_ready, .item(), float(), np.asarray, print) before it launched more. Cost: idle time while "
    "the\n"
    "host waited or woke up, and in a loop that waits for every step also the late launch of the next one; "
    "no more\n"
    "than the host waited, because its own work stays."};

}  // namespace gait::analyze
