#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/collective_claims.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kGoodRate = 0.5;                    // of the links' rate
constexpr int64_t kLargeMessage = int64_t{8} << 20;  // smaller ones are bound by latency

// What the links between the devices of one machine carry, one direction, bytes per second. From data sheets.
struct Links {
  std::string_view device;
  double rate;
};
constexpr std::array<Links, 9> kLinks = {{{"b200", 900e9},
                                          {"h200", 450e9},
                                          {"h100", 450e9},
                                          {"h800", 200e9},
                                          {"a100", 300e9},
                                          {"v100", 150e9},
                                          {"mi300x", 448e9},
                                          {"mi325x", 448e9},
                                          {"mi250", 250e9}}};

std::optional<double> LinkRate(std::string device) {
  for (char& c : device) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (device.find("pcie") != std::string::npos) return std::nullopt;
  for (const Links& links : kLinks) {
    if (device.find(links.device) != std::string::npos) return links.rate;
  }
  return std::nullopt;
}

// Processes of one machine write a file each, as hosts do, and all of these name the machine.
bool OnOneMachine(const RunView& view) {
  const auto machine = [](const HostView& host) {
    const std::vector<std::string>& names = host.trace().environment().hostnames;
    return names.empty() ? std::string() : names.front();
  };
  const std::string first = machine(view.hosts.front());
  return view.hosts.size() == 1 ||
         (!first.empty() &&
          std::ranges::all_of(view.hosts, [&](const HostView& host) { return machine(host) == first; }));
}

Verdict LowBandwidth(const Patient& patient) {
  if (patient.has_one_device()) return Verdict::Unchecked(kOneDevice);
  if (!OnOneMachine(*patient.view)) return Verdict::Unchecked("the network between hosts is not known");
  const std::optional<double> rate = LinkRate(patient.peaks.device);
  if (!rate) return Verdict::Unchecked("the rate of the devices' links is not known");
  Claims claims;
  const CollectiveStats* worst = nullptr;  // that loses the most time
  double most = 0;
  for (const CollectiveTime& time : CollectiveTimes(patient)) {
    for (const CollectiveStats* stats : time.stats) {
      const CollectiveOperation& operation = patient.collectives.found.operations[stats->operation];
      if (!stats->bus_bandwidth || operation.message_bytes.value_or(0) < kLargeMessage) continue;
      if (*stats->bus_bandwidth >= kGoodRate * *rate) continue;
      const double lost = static_cast<double>(time.exchange.value()) * (1 - *stats->bus_bandwidth / *rate);
      claims.push_back(patient.ledger.Operation(time.operation, Ps(static_cast<int64_t>(lost))));
      if (lost > most) worst = stats;
      most = std::max(most, lost);
      break;  // an operation counts once
    }
  }
  constexpr double kLeast = 0.02;
  if (worst == nullptr || !patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const CollectiveOperation& operation = patient.collectives.found.operations[worst->operation];
  finding.title = "Slow collectives";
  finding.cause = fmt::format("{} of {} reaches {} on the links, of {}.", operation.name,
                              report::BytesText(static_cast<uint64_t>(*operation.message_bytes)),
                              report::AmountText(*worst->bus_bandwidth, report::unit::kBytesPerSecond),
                              report::AmountText(*rate, report::unit::kBytesPerSecond));
  finding.fix =
      "check that the devices talk over their links (nvidia-smi topo -m; NCCL_DEBUG=INFO shows the path), "
      "that no "
      "NCCL_P2P_DISABLE is set, and combine small messages:\n"
      "  XLA_FLAGS='--xla_gpu_all_reduce_combine_threshold_bytes=134217728'";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"collectives"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLowBandwidthRule;
const Rule kLowBandwidthRule = {
    .name = "low_bandwidth",
    .topic = Topic::kDevices,
    .summary = "collectives far below the links' rate",
    .metrics = "exposed_comm",
    .check = LowBandwidth,
    .explain =
        "Speaks when collectives of 8 MiB or more inside one machine reach less than half of the links' rate "
        "and that costs 2 % of a step or more. Cost: of their time that nothing hides, waiting left out, the "
        "share that the full rate would save.",
};

}  // namespace gait::analyze
