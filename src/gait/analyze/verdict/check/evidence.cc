#include "gait/analyze/verdict/check/evidence.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

struct About {
  std::string_view metric;  // how its name begins
  std::string_view verb;
  std::vector<std::string_view> rules;  // that can explain it; empty: all
};

// The first that fits.
const About& AboutOf(std::string_view metric) {
  static const std::array kAbout = {
      About{"exposed_comm",
            "collectives",
            {"exposed_communication", "straggler", "slow_device", "load_imbalance", "low_bandwidth"}},
      About{"exposed_copies", "transfers", {"host_to_device", "device_to_host", "program_copies"}},
      About{"input_wait", "idle", {"input"}},
      About{"staging_wait", "idle", {"host_to_device"}},
      About{"host_wait",
            "idle",
            {"host_sync", "between_steps", "launch_bound", "cuda_graphs", "checkpoint", "garbage_collection",
             "host_callback", "unexplained_idle"}},
      About{"peak_memory", "memory", {"memory_capacity", "fragmentation"}},
      About{"compile", "compile", {"recompile", "compile_in_window"}},
      About{"kernels", "kernels", {"launch_bound", "tiny_kernels", "cuda_graphs"}},
      About{"launches", "kernels", {"launch_bound", "tiny_kernels", "cuda_graphs"}},
      About{"bytes_to_device", "transfers", {"host_to_device"}},
      About{"bytes_to_host", "transfers", {"device_to_host"}},
      About{"steps", "steps", {"no_steps", "no_device", "incomplete"}},
      About{"", "doctor", {}},
  };
  return *std::ranges::find_if(kAbout, [&](const About& about) { return metric.starts_with(about.metric); });
}

// A finding about a device that does nothing, not about what it does.
bool IsAboutIdling(const Finding& finding, const Patient& patient) {
  const size_t pieces = patient.ledger.idle().size();
  return std::ranges::any_of(finding.claims, [&](const Claim& claim) { return claim.piece < pieces; });
}

}  // namespace

std::string EvidenceFor(std::string_view metric, const Patient& patient, const Diagnosis& diagnosis) {
  const std::vector<std::string_view>& rules = AboutOf(metric).rules;
  const bool idling = metric == "device_busy" || metric == "idle";
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity < Severity::kWarning) continue;
    if (rules.empty() && !finding.cost) continue;
    if (!rules.empty() && std::ranges::find(rules, finding.rule) == rules.end()) continue;
    if (idling && !IsAboutIdling(finding, patient)) continue;
    return fmt::format("{}: {}{}", finding.title, finding.cause,
                       finding.cost ? fmt::format(" ({})", patient.PerStep(*finding.cost)) : "");
  }
  return {};
}

std::string_view VerbFor(std::string_view metric) { return AboutOf(metric).verb; }

}  // namespace gait::analyze
