#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

// JAX's own: it frees what the runtime has let go of, host copies of arrays as a rule. Python's collector has
// no part in it.
constexpr std::string_view kRuntimeFrees = "PythonRefManager::CollectGarbage";
constexpr std::string_view kAnnotation = "garbage collection";  // of captures that gait records

// Whether the host's threads have an annotation that says garbage collection.
bool IsAnnotated(const HostView& host) {
  const HostActivity& activity = ActivityOf(host);
  const Trace& trace = host.trace();
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    if (trace.tracks()[t].info().kind != TrackKind::kThread) continue;
    for (uint32_t i = 0; i < trace.tracks()[t].size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      if (activity.own_work(event) == HostWork::kCollect && activity.kind(event) == HostKind::kAnnotation)
        return true;
    }
  }
  return false;
}

// A collection is no event of its own: without these a capture looks the same with it and without.
bool ShowsCollections(const Patient& patient) {
  return patient.view->run->manifest.collections ||
         std::ranges::any_of(patient.hosts, &HostTime::has_python) ||
         std::ranges::any_of(patient.view->hosts, IsAnnotated);
}

Verdict GarbageCollection(const Patient& patient) {
  const Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kCollect; });
  if (!patient.Matter(claims)) {
    if (ShowsCollections(patient)) return Verdict::Clean();
    return Verdict::Unchecked("no Python frames, no annotation of collections");
  }
  Finding finding = patient.Costs(claims);
  const std::string doing = HostDoing(patient, claims);
  if (doing == kRuntimeFrees) {
    finding.title = "Freeing host arrays in the loop";
    finding.cause = fmt::format(
        "The device idles while JAX frees host memory that arrays fetched before it held ({}).", doing);
    finding.fix =
        "fetch less, and less often; what is fetched for a file or a plot can be copied into one buffer:\n"
        "  np.copyto(kept, array)            # kept = np.empty_like(array), once\n"
        "gc.disable() does not change it";
  } else {
    finding.title = "Garbage collection in the loop";
    finding.cause = fmt::format("The device idles while Python collects garbage{}.",
                                doing.empty() || doing == kAnnotation ? "" : ", in " + doing);
    finding.fix =
        "collect at a time of your own choosing:\n"
        "  gc.disable()                      # before the loop\n"
        "  if step % 1000 == 0: gc.collect()";
  }
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.see = {"idle"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kGarbageCollectionRule;
const Rule kGarbageCollectionRule = {
    .name = "garbage_collection",
    .topic = Topic::kHost,
    .summary = "Python collects garbage inside the loop",
    .metrics = "host_wait",
    .check = GarbageCollection,
    .explain =
        "Speaks when the device idles for 1 % of a step or more while the host ran the garbage collector. "
        "Cost: that idle time. Captures that gait records hold every collection. Others need the Python "
        "tracer, or an annotation with the words garbage collection: without both it could not be checked.",
};

}  // namespace gait::analyze
