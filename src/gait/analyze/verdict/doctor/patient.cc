#include "gait/analyze/verdict/doctor/patient.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gait/base/thread_pool.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kMostEvidence = 3;

constexpr std::array<std::string_view, 4> kSeverities = {"info", "low", "warning", "high"};

}  // namespace

std::string_view Name(Severity severity) { return kSeverities[static_cast<size_t>(severity)]; }

std::optional<Severity> FindSeverity(std::string_view name) {
  const auto found = std::ranges::find(kSeverities, name);
  if (found == kSeverities.end()) return std::nullopt;
  return static_cast<Severity>(found - kSeverities.begin());
}

double ShareOf(Ps part, Ps whole) {
  return whole > Ps() ? static_cast<double>(part.value()) / static_cast<double>(whole.value()) : 0;
}

bool Patient::has(PlaneKind kind) const {
  return std::ranges::any_of(overview.devices, [&](const DeviceOverview& d) {
    return d.host->trace().plane(d.device->plane).kind == kind;
  });
}

bool Patient::is_cut_short() const {
  return std::ranges::any_of(view->hosts, [](const HostView& host) {
    return std::ranges::any_of(host.trace().losses(), [](const Loss& loss) {
      return loss.kind == LossKind::kTruncated || (loss.kind == LossKind::kDropped && loss.place == "file");
    });
  });
}

Finding Patient::Costs(Claims claims) const {
  Finding finding;
  finding.cost = ledger.Cost(claims);
  finding.between = ledger.Range(claims);
  finding.share = ShareOf(*finding.cost, ledger.step());
  finding.severity = finding.share >= kHighShare      ? Severity::kHigh
                     : finding.share >= kWarningShare ? Severity::kWarning
                                                      : Severity::kLow;
  finding.claims = std::move(claims);
  return finding;
}

bool Patient::Matter(const Claims& claims, double least) const {
  return ShareOf(ledger.Cost(claims), ledger.step()) >= least;
}

Claims Patient::ClaimIdle(const std::function<bool(const IdleSlice&)>& fits) const {
  Claims claims;
  for (size_t i = 0; i < ledger.idle().size(); ++i) {
    if (fits(ledger.idle()[i])) claims.push_back(ledger.Idle(i));
  }
  return claims;
}

std::vector<Evidence> Patient::GapEvidence(const Claims& claims,
                                           const std::function<std::string(const IdleSlice&)>& say) const {
  std::map<const IdleGap*, std::pair<Ps, const IdleSlice*>> gaps;
  for (const Claim& claim : claims) {
    if (claim.piece >= ledger.idle().size() || ledger.idle()[claim.piece].gap == nullptr) continue;
    auto& [claimed, piece] = gaps[ledger.idle()[claim.piece].gap];
    claimed += claim.amount;
    piece = &ledger.idle()[claim.piece];
  }
  std::vector<std::pair<Ps, const IdleSlice*>> sorted;
  for (const auto& [gap, claimed] : gaps) sorted.push_back(claimed);
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->gap->time.begin < b.second->gap->time.begin;
  });
  // The same moment on several devices of a host is one row.
  struct Moment {
    Ps claimed;
    const IdleSlice* piece;
    std::set<size_t> others{};  // devices
  };
  std::vector<Moment> moments;
  for (const auto& [claimed, piece] : sorted) {
    const auto same = std::ranges::find_if(moments, [&](const Moment& known) {
      const Interval a = known.piece->gap->time;
      const Interval b = piece->gap->time;
      const Ps both = std::min(a.end, b.end) - std::max(a.begin, b.begin);
      return known.piece->host == piece->host && known.piece->device != piece->device &&
             both * 2 > b.length();
    });
    if (same != moments.end()) {
      same->others.insert(piece->device);
    } else if (moments.size() < kMostEvidence) {
      moments.push_back({claimed, piece, {}});
    }
  }
  std::vector<Evidence> evidence;
  for (const auto& [claimed, piece, others] : moments) {
    const IdleGap& gap = *piece->gap;
    const std::string& device = piece->host->devices[piece->device].name;
    std::string text;
    if (!has_one_device()) {
      text = view->hosts.size() > 1 ? fmt::format("{} {}", piece->host->host->name, device) : device;
      if (!others.empty()) text += fmt::format(" and {}", report::Plural(others.size(), "other"));
      text += gap.step != nullptr ? ", " : ": ";
    }
    if (gap.step != nullptr) text += fmt::format("step {}: ", gap.step->number);
    text += claimed * 10 < gap.time.length() * 9
                ? fmt::format("{} of {} idle", report::TimeText(claimed), report::TimeText(gap.time.length()))
                : fmt::format("{} idle", report::TimeText(gap.time.length()));
    evidence.push_back({text + say(*piece), piece->host->host->name, device, gap.time});
  }
  return evidence;
}

std::string Patient::MostlyOneStep(const Claims& claims) const {
  constexpr double kMost = 0.6;
  constexpr int64_t kFewestSteps = 4;
  const auto devices = static_cast<int64_t>(overview.devices.size());
  if (overview.device_steps < kFewestSteps * devices) return "";
  Ps total;
  std::map<int64_t, Ps> by_step;
  for (const Claim& claim : claims) {
    total += claim.amount;
    if (claim.piece >= ledger.idle().size()) continue;
    const IdleGap* gap = ledger.idle()[claim.piece].gap;
    if (gap != nullptr && gap->step != nullptr) by_step[gap->step->number] += claim.amount;
  }
  const auto most = std::ranges::max_element(by_step, {}, [](const auto& step) { return step.second; });
  if (most == by_step.end() || ShareOf(most->second, total) < kMost) return "";
  return fmt::format(" {:.0f} % of it is in step {}; the other {} steps share the rest.",
                     100 * ShareOf(most->second, total), most->first, overview.device_steps / devices - 1);
}

void Patient::PlaceAt(size_t operation, Evidence& row) const {
  size_t device = 0;
  for (const HostView& host : view->hosts) {
    for (const Device& named : host.devices) {
      const auto& ran = overview.operations->coverage[device++].operations()[operation];
      if (row.time || ran.pieces == 0) continue;
      row.host = host.host->name;
      row.track = named.name;
      row.time = ran.first;
    }
  }
}

std::vector<Evidence> Patient::OperationEvidence(const Claims& claims) const {
  Claims work;
  for (const Claim& claim : claims) {
    if (claim.piece >= ledger.idle().size()) work.push_back(claim);
  }
  std::ranges::stable_sort(work, std::greater(), &Claim::amount);
  std::vector<Evidence> evidence;
  for (const Claim& claim : work) {
    if (evidence.size() == kMostEvidence) break;
    const size_t operation = claim.piece - ledger.idle().size();
    const OpTotal& total = operations()[operation];
    std::string time = PerStep(total.self / ledger.steps());
    if (claim.amount * 10 < total.self * 9) {
      time = fmt::format("{} of {}", report::TimeText(claim.amount / ledger.steps()), time);
    }
    Evidence row{fmt::format("{}: {}", total.what.name, time)};
    if (total.what.has_scope()) row.text += ", " + total.what.scope.Text();
    if (!total.what.source.empty()) row.text += fmt::format(" ({})", total.what.source);
    PlaceAt(operation, row);
    evidence.push_back(std::move(row));
  }
  return evidence;
}

std::string Patient::PerStep(Ps per_step) const { return report::TimeText(per_step) + " " + view->Portion(); }

Result<Patient> Examine(const RunView& view, const PeakOverride& given) {
  GAIT_TRY(Overview overview, MakeOverview(view, given));
  KernelsResult kernels;
  const CollectivesResult* collectives = nullptr;
  std::vector<HostTime> hosts(view.hosts.size());
  const std::array<std::function<void()>, 3> parts = {
      [&] { kernels = FindKernels(view); }, [&] { collectives = &AnalyzeCollectives(view); },
      [&] { std::ranges::transform(view.hosts, hosts.begin(), AnalyzeHost); }};
  ForEach(parts.size(), DefaultThreads(), [&](size_t i) { parts[i](); });
  Ledger ledger(view, *overview.operations, overview.profiler);
  const Peaks peaks = PeaksOfRun(view, given);
  const Attained rates = AttainedOf(peaks, *overview.operations, overview.roofs);
  return Patient{&view,
                 std::move(overview),
                 peaks,
                 rates,
                 std::move(kernels),
                 *collectives,
                 std::move(hosts),
                 std::move(ledger)};
}

}  // namespace gait::analyze
