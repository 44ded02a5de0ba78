#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kMuch = 0.3;  // of the free memory is not in the largest piece
constexpr double kUsed = 0.7;  // of the limit: before that it does not matter

Verdict Fragmentation(const Patient& patient) {
  bool known = false;
  for (const HostMemory& host : patient.overview.memory) {
    for (const Allocator& allocator : host.allocators) {
      if (allocator.space != MemorySpace::kDevice || !allocator.fragmentation || !allocator.limit) continue;
      known = true;
      const double used =
          static_cast<double>(allocator.peak) / static_cast<double>(std::max<int64_t>(1, *allocator.limit));
      if (*allocator.fragmentation < kMuch || used < kUsed) continue;
      Finding finding;
      finding.severity = Severity::kWarning;
      finding.title = "Device memory is fragmented";
      finding.cause = fmt::format(
          "On {} {:.0f} % of the free memory is not in the largest free piece, with {:.0f} % in use.",
          allocator.device, 100 * *allocator.fragmentation, 100 * used);
      finding.fix =
          "allocate large arrays first and keep them; donate instead of allocating anew; give the allocator "
          "its "
          "memory at once (XLA_PYTHON_CLIENT_PREALLOCATE=true, XLA_PYTHON_CLIENT_MEM_FRACTION=0.9)";
      finding.evidence.push_back(
          {fmt::format("peak {} of {}", report::BytesText(static_cast<uint64_t>(allocator.peak)),
                       report::BytesText(static_cast<uint64_t>(*allocator.limit))),
           host.view->host->name, allocator.device, Interval{allocator.peak_time, allocator.peak_time}});
      finding.see = {"memory"};
      return Verdict::Of(std::move(finding));
    }
  }
  return known ? Verdict::Clean() : Verdict::Unchecked("the capture holds no allocator events with a limit");
}

}  // namespace

extern const Rule kFragmentationRule;
const Rule kFragmentationRule = {
    .name = "fragmentation",
    .topic = Topic::kMemory,
    .summary = "free device memory in many small pieces",
    .metrics = "peak_memory",
    .check = Fragmentation,
    .explain =
        "Speaks when at the peak 70 % of the memory is in use and more than 30 % of the rest lies outside "
        "the largest free piece. It has no cost in time until an allocation fails.",
};

}  // namespace gait::analyze
