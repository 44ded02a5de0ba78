#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/question/transfers/copy_origin.h"
#include "gait/analyze/verdict/doctor/claims/sync_claims.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

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
    const HostActivity& activity = ActivityOf(host);
    ForEachWait(host, [&](TrackId thread, EventIndex event) {
      const Track& track = host.trace().track(thread);
      Wait& wait = by_name[std::string(CommonName(host.trace().text(track.name(event))))];
      if (wait.count++ == 0) {
        wait.first = {thread, event};
        wait.host = &host;
      }
      wait.total += activity.time(track, {thread, event}).length();
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

// Of claimed gaps those in which the host ran code of its own, not yet or no longer waiting.
Claims OfOwnCode(const Patient& patient, const Claims& claims) {
  Claims own;
  for (const Claim& claim : claims) {
    if (patient.ledger.idle()[claim.piece].cause == IdleCause::kDispatch) own.push_back(claim);
  }
  return own;
}

size_t CountStandstills(const Patient& patient) {
  std::set<const IdleGap*> gaps;
  for (const IdleSlice& piece : patient.ledger.idle()) {
    if (StandstillBefore(piece)) gaps.insert(piece.gap);
  }
  return gaps.size();
}

Verdict HostSync(const Patient& patient) {
  const WaitingClaims found = ClaimHostWaits(patient);
  const Claims& claims = found.waiting;
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const std::vector<Wait> waits = FindWaits(*patient.view, *finding.cost / 10);
  const bool every = patient.overview.series != nullptr && patient.overview.series->waits_in_loop();
  finding.title = every ? "The host waits for every step" : "The host waits for results in the loop";
  const std::string waited =
      waits.empty() ? ""
                    : " (" + std::string(waits[0].name.substr(waits[0].name.starts_with('$') ? 1 : 0)) + ")";
  // Where most of the idle time is the host's own code, waiting only keeps the device from hiding it.
  Claims all = claims;
  all.insert(all.end(), found.own_work.begin(), found.own_work.end());
  const Claims own = OfOwnCode(patient, all);
  const Ps code = patient.ledger.Cost(own);
  const bool busy = every && code * 2 > *finding.cost;
  const std::string doing = busy ? HostDoing(patient, own) : "";
  finding.cause =
      busy ? fmt::format(
                 "The host waits for every step{}, and its own code ({}{}) runs before it launches the next; "
                 "the "
                 "device idles meanwhile.",
                 waited, patient.PerStep(code), doing.empty() ? "" : ", in " + doing)
           : fmt::format(
                 "The host waits for a result{} and launches the next work only then; the device idles until "
                 "it comes.",
                 waited);
  finding.cause += patient.MostlyOneStep(claims);
  finding.fix =
      "let the host run ahead; look at results late and seldom:\n"
      "  if step % 100 == 0:\n"
      "      print(step, float(previous_loss))  # of an earlier step\n"
      "and no block_until_ready, .item(), float(), np.asarray or print of an array in every step";
  if (busy)
    finding.fix +=
        ";\nwhat the host does between the steps is hidden then as long as it takes less than a step";
  finding.evidence = patient.GapEvidence(claims, InScene);
  for (size_t i = 0; i < waits.size() && i < 2; ++i) finding.evidence.push_back(Describe(waits[i]));
  if (const size_t stood = CountStandstills(patient); stood > 0) {
    finding.evidence.push_back({fmt::format(
        "{} in all the host did nothing until the device was done, and launched the next work then",
        report::Plural(stood, "time"))});
  } else if (waits.empty() && every) {
    finding.evidence.push_back(
        {"no wait is in the capture by itself: each step was launched only when the device was "
         "done with the one before"});
  }
  finding.see = {"idle", "cause", busy ? "dispatch" : "host_sync"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kHostSyncRule;
const Rule kHostSyncRule = {
    .name = "host_sync",
    .topic = Topic::kHost,
    .summary = "the host waits for results inside the loop",
    .metrics = "host_wait",
    .check = HostSync,
    .explain =
        "Speaks when the device idles for 1 % of a step or more because the host waited for a result "
        "(block_until_ready, .item(), float(), np.asarray, print) before it launched more. Cost: idle time "
        "while the host waited or woke up, and in a loop that waits for every step also the late launch of "
        "the next one; no more than the host waited, because its own work stays.",
};

}  // namespace gait::analyze
