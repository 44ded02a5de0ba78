#include "gait/analyze/verdict/doctor/claims/compile_claims.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"

namespace gait::analyze {
namespace {

// Functions of a host that were compiled more than once, or whose compilation followed another of its name.
// Two functions may have one: each is compiled for the first time then.
std::set<std::string> CompiledAgain(const HostCompiles& host) {
  std::set<std::string> again;
  for (const Compilation& one : host.compilations) {
    const bool first = one.reason.cause == CompileCause::kFirst;
    if (one.nth > 1 && one.compiled && !one.function.empty() && !first) again.insert(one.function);
  }
  return again;
}

// The compilation that a gap mostly lies in; null: none.
const Compilation* At(const HostCompiles& host, Interval gap) {
  const Compilation* best = nullptr;
  Ps most;
  for (const Compilation& one : host.compilations) {
    const Ps overlap = std::min(one.span.end, gap.end) - std::max(one.span.begin, gap.begin);
    if (overlap > most) {
      most = overlap;
      best = &one;
    }
  }
  return best;
}

}  // namespace

CompileClaims ClaimCompiles(const Patient& patient, bool again) {
  CompileClaims result;
  std::map<const HostView*, std::pair<const HostCompiles*, std::set<std::string>>> hosts;
  for (const HostCompiles& host : patient.overview.compiles) {
    const auto& known = hosts[host.view] = {&host, CompiledAgain(host)};
    for (const Compilation& one : host.compilations) {
      if (known.second.contains(one.function) == again && one.span.overlaps(host.window)) {
        result.compilations.push_back(&one);
      }
    }
  }
  result.claims = patient.ClaimIdle([&](const IdleSlice& piece) {
    if (piece.reason != GapReason::kCompile) return false;
    const auto host = hosts.find(piece.host);
    if (host == hosts.end()) return !again;
    const auto& [compiles, functions] = host->second;
    // Gaps too short to be listed go with the greater part.
    if (piece.gap == nullptr) return functions.empty() != again;
    const Compilation* one = At(*compiles, piece.gap->time);
    return (one != nullptr && functions.contains(one->function)) == again;
  });
  return result;
}

Evidence CompileEvidence(const Patient& patient, const Compilation& one, std::string text) {
  Evidence row{std::move(text)};
  for (const HostCompiles& host : patient.overview.compiles) {
    const bool here =
        &one >= host.compilations.data() && &one < host.compilations.data() + host.compilations.size();
    if (!here || !one.asked()) continue;
    row.host = host.view->host->name;
    row.track = TrackName(host.view->trace(), host.view->trace().track(one.thread));
    row.time = one.span;
  }
  return row;
}

}  // namespace gait::analyze
