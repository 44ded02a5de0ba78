#include "gait/analyze/verdict/check/evidence.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

struct About {
  std::string_view metric;  // how its name begins
  std::string_view verb;
};

// The first that fits.
const About& AboutOf(std::string_view metric) {
  static constexpr std::array kAbout = {
      About{"exposed_comm", "collectives"},
      About{"exposed_copies", "transfers"},
      About{"input_wait", "idle"},
      About{"staging_wait", "idle"},
      About{"host_wait", "idle"},
      About{"peak_memory", "memory"},
      About{"compile", "compile"},
      About{"kernels", "kernels"},
      About{"launches", "kernels"},
      About{"bytes_to_device", "transfers"},
      About{"bytes_to_host", "transfers"},
      About{"steps", "steps"},
      About{"", "doctor"},
  };
  return *std::ranges::find_if(kAbout, [&](const About& about) { return metric.starts_with(about.metric); });
}

bool Explains(const Rule& rule, std::string_view metric) {
  return std::ranges::any_of(rule.metrics | std::views::split(' '),
                             [&](const auto& word) { return std::ranges::equal(word, metric); });
}

// A finding about a device that does nothing, not about what it does.
bool IsAboutIdling(const Finding& finding, const Patient& patient) {
  const size_t pieces = patient.ledger.idle().size();
  return std::ranges::any_of(finding.claims, [&](const Claim& claim) { return claim.piece < pieces; });
}

}  // namespace

std::string EvidenceFor(std::string_view metric, const Patient& patient, const Diagnosis& diagnosis) {
  const auto explains = [about = AboutOf(metric).metric](const Rule& rule) { return Explains(rule, about); };
  const bool any = std::ranges::none_of(AllRules(), explains);
  const bool idling = metric == "device_busy" || metric == "idle";
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity < Severity::kWarning) continue;
    if (any ? !finding.cost : !explains(*FindRule(finding.rule))) continue;
    if (idling && !IsAboutIdling(finding, patient)) continue;
    return fmt::format("{}: {}{}", finding.title, finding.cause,
                       finding.cost ? fmt::format(" ({})", patient.PerStep(*finding.cost)) : "");
  }
  return {};
}

std::string_view VerbFor(std::string_view metric) { return AboutOf(metric).verb; }

}  // namespace gait::analyze
