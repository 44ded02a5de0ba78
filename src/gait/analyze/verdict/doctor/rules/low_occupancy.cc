#include <map>
#include <optional>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kLow = 25;          // percent
constexpr double kFewWaves = 0.5;    // the grid fills less than half of the device
constexpr double kFastEnough = 0.6;  // of the roofline: fast enough whatever the occupancy

Verdict LowOccupancy(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  std::map<std::string, size_t> by_name;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const Operation& what = patient.operations()[i].what;
    if (what.attributed()) by_name[KernelsNameOf(what)] = i;
  }
  Claims claims;
  std::vector<Evidence> rows;
  Ps small;   // of grids that do not fill the device
  Ps narrow;  // of multiprocessors that hold few threads
  Ps own;     // that people wrote: Pallas, Triton, libraries
  bool known = false;
  for (const Kernel& kernel : patient.kernels.kernels) {
    known |= kernel.occupancy.has_value();
    if (kernel.work != WorkClass::kCompute || kernel.tensor_cores == TensorCores::kYes || !kernel.occupancy)
      continue;
    const bool few = kernel.waves && *kernel.waves < kFewWaves;
    if (*kernel.occupancy >= kLow && !few) continue;
    std::optional<size_t> operation;  // the first that counts
    for (const std::string& name : kernel.operations) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) continue;
      const Work& work = patient.roof(found->second).work;
      if (!work.efficiency() || *work.efficiency() > kFastEnough) continue;
      claims.push_back(patient.ledger.Operation(found->second, work.wasted));
      if (!operation) operation = found->second;
    }
    if (!operation) continue;
    (few && *kernel.occupancy >= kLow ? small : narrow) += kernel.total;
    if (patient.operations()[*operation].what.category == Category::kCustomCall) own += kernel.total;
    if (rows.size() == 3) continue;
    const std::string why =
        few ? fmt::format("its blocks fill {:.0f} % of the device", 100 * *kernel.waves)
            : fmt::format("occupancy {:.0f} %, limited by {}", *kernel.occupancy,
                          kernel.computed ? Name(kernel.computed->limiter) : "an unknown resource");
    rows.push_back(
        {fmt::format("{}: {} a step, {}", kernel.short_name,
                     report::TimeText(kernel.total / std::max<int64_t>(1, patient.kernels.steps)), why)});
    patient.PlaceAt(*operation, rows.back());
  }
  if (!known) return Verdict::Unchecked("the capture does not say how kernels were launched");
  // An operation of several such kernels counts once.
  std::ranges::sort(claims, {}, &Claim::piece);
  const auto twice = std::ranges::unique(claims, {}, &Claim::piece);
  claims.erase(twice.begin(), twice.end());
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Kernels that leave the device mostly empty";
  finding.cause =
      small > narrow
          ? "Kernels have too few blocks to fill the device, and run far below its bandwidth."
          : "Kernels fit few threads on a multiprocessor at a time, and run far below its bandwidth.";
  finding.fix =
      own * 2 > small + narrow
          ? "in kernels of your own (Pallas, Triton) use smaller blocks, fewer registers and less shared "
            "memory,\n"
            "and enough blocks for all multiprocessors"
      : small > narrow
          ? "give them more parallel work: larger batch, vmap instead of a loop, reductions over "
            "fewer, longer axes"
          : "XLA made these kernels, and what they need follows from what it fused: where another "
            "finding is about the same operations, fix that first, and they are gone";
  finding.evidence = std::move(rows);
  finding.see = "kernels";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLowOccupancyRule;
const Rule kLowOccupancyRule = {"low_occupancy", "kernels that fill little of the device, and why",
                                LowOccupancy,
                                "Speaks when kernels without tensor cores have an occupancy below 25 %, or a "
                                "grid for less than half of the\n"
                                "device, reach less than 60 % of the roofline, and that costs 3 % of a step "
                                "or more. Cost: the time of their\n"
                                "operations above the roofline. The evidence names what limits them."};

}  // namespace gait::analyze
