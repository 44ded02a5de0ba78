#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kLow = 25;          // percent
constexpr double kFewWaves = 0.5;    // the grid fills less than half of the device
constexpr double kFastEnough = 0.6;  // of the roofline: fast enough whatever the occupancy

constexpr size_t kMostKernelsShown = 3;  // kernels that the finding shows

bool HasFewBlocks(const Kernel& kernel) { return kernel.waves && *kernel.waves < kFewWaves; }

// Whether a kernel leaves the device mostly empty.
bool IsLow(const Kernel& kernel) {
  // Kernels of the matrix units need few threads; of an unknown one nobody can say.
  if (kernel.work != WorkClass::kCompute || kernel.tensor_cores != TensorCores::kNo || !kernel.occupancy)
    return false;
  return *kernel.occupancy < kLow || HasFewBlocks(kernel);
}

// By the name that their kernels have.
std::map<std::string, size_t> OperationsByKernel(const Patient& patient) {
  std::map<std::string, size_t> by_name;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const Operation& what = patient.operations()[i].what;
    if (what.attributed()) by_name[KernelsNameOf(what)] = i;
  }
  return by_name;
}

// The operations of a kernel that are slower than the roofline allows.
std::vector<size_t> SlowOperations(const Patient& patient, const Kernel& kernel,
                                   const std::map<std::string, size_t>& by_name) {
  std::vector<size_t> slow;
  for (const std::string& name : kernel.operations) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) continue;
    const auto efficiency = patient.roof(found->second).work.efficiency();
    if (efficiency && *efficiency <= kFastEnough) slow.push_back(found->second);
  }
  return slow;
}

Evidence EvidenceOf(const Patient& patient, const Kernel& kernel, size_t operation) {
  const std::string why =
      HasFewBlocks(kernel)
          ? fmt::format("its blocks fill {:.0f} % of the device", 100 * *kernel.waves)
          : fmt::format("occupancy {:.0f} %, limited by {}", *kernel.occupancy,
                        kernel.computed ? Name(kernel.computed->limiter) : "an unknown resource");
  const Ps a_step = kernel.total / std::max<int64_t>(1, patient.kernels.steps);
  Evidence evidence{fmt::format("{}: {} a step, {}", kernel.short_name, report::TimeText(a_step), why)};
  patient.PlaceAt(operation, evidence);
  return evidence;
}

// Kernels that leave the device mostly empty, and run slowly.
struct LowKernels {
  Claims claims{};  // of their operations
  std::vector<Evidence> evidence{};
  Ps small{};   // time of grids that do not fill the device
  Ps narrow{};  // of multiprocessors that hold few threads
  Ps own{};     // that people wrote: Pallas, Triton, libraries
};

// How much of the time of its operations a kernel takes: a library runs several kernels for one operation.
double ShareOfOperations(const Patient& patient, const Kernel& kernel,
                         const std::map<std::string, size_t>& by_name) {
  Ps time;
  for (const std::string& name : kernel.operations) {
    if (const auto found = by_name.find(name); found != by_name.end())
      time += patient.operations()[found->second].time;
  }
  return std::min(1.0, ShareOf(kernel.total, time));
}

LowKernels FindLow(const Patient& patient) {
  const std::map<std::string, size_t> by_name = OperationsByKernel(patient);
  LowKernels found;
  for (const Kernel& kernel : patient.kernels.kernels) {
    if (!IsLow(kernel)) continue;
    const std::vector<size_t> slow = SlowOperations(patient, kernel, by_name);
    if (slow.empty()) continue;
    const double share = ShareOfOperations(patient, kernel, by_name);
    for (const size_t operation : slow) {
      const Ps wasted = PartOf(patient.roof(operation).work.wasted, share);
      found.claims.push_back(patient.ledger.Operation(operation, wasted));
    }
    (*kernel.occupancy >= kLow ? found.small : found.narrow) += kernel.total;
    if (patient.operations()[slow[0]].what.category == Category::kCustomCall) found.own += kernel.total;
    if (found.evidence.size() < kMostKernelsShown)
      found.evidence.push_back(EvidenceOf(patient, kernel, slow[0]));
  }
  // An operation of several such kernels counts once.
  std::ranges::sort(found.claims, {}, &Claim::piece);
  const auto twice = std::ranges::unique(found.claims, {}, &Claim::piece);
  found.claims.erase(twice.begin(), twice.end());
  return found;
}

std::string FixFor(const LowKernels& low) {
  if (low.own * 2 > low.small + low.narrow) {
    return "in kernels of your own (Pallas, Triton) use smaller blocks, fewer registers and less shared "
           "memory,\n"
           "and enough blocks for all multiprocessors";
  }
  return low.small > low.narrow
             ? "give them more parallel work: larger batch, vmap instead of a loop, reductions over "
               "fewer, longer axes"
             : "XLA made these kernels, and what they need follows from what it fused: where another "
               "finding is about the same operations, fix that first, and they are gone";
}

Verdict LowOccupancy(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  if (std::ranges::none_of(patient.kernels.kernels, [](const Kernel& k) { return k.occupancy.has_value(); }))
    return Verdict::Unchecked("the capture does not say how kernels were launched");
  LowKernels low = FindLow(patient);
  constexpr double kLeast = 0.03;
  if (!patient.Matter(low.claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(low.claims);
  finding.title = "Kernels that leave the device mostly empty";
  finding.cause =
      low.small > low.narrow
          ? "Kernels have too few blocks to fill the device, and run far below its bandwidth."
          : "Kernels fit few threads on a multiprocessor at a time, and run far below its bandwidth.";
  finding.fix = FixFor(low);
  finding.evidence = std::move(low.evidence);
  finding.see = {"kernels"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLowOccupancyRule;
const Rule kLowOccupancyRule = {
    .name = "low_occupancy",
    .topic = Topic::kDevice,
    .summary = "kernels that fill little of the device, and why",
    .check = LowOccupancy,
    .explain =
        "Speaks when kernels without tensor cores have an occupancy below 25 %, or a grid for less than half "
        "of the device, reach less than 60 % of the roofline, and that costs 3 % of a step or more. Cost: "
        "the time of their operations above the roofline. The evidence names what limits them.",
};

}  // namespace gait::analyze
