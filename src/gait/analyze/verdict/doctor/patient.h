// Patient: the input of the rules. Every number comes from the analysis that defines it, and is made once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/operations/attained.h"
#include "gait/analyze/question/host/host.h"
#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/question/overview/overview.h"
#include "gait/analyze/verdict/doctor/finding.h"
#include "gait/analyze/verdict/doctor/ledger.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// A cost below this share of a step is no finding.
inline constexpr double kLeastShare = 0.01;
// From these shares of a step on, a finding is a warning, or high.
inline constexpr double kWarningShare = 0.03;
inline constexpr double kHighShare = 0.10;

// The reason why a rule about several devices could not be checked.
inline constexpr const char* kOneDevice = "the capture holds one device";
// The reason why a count is not known (Patient::is_cut_short).
inline constexpr const char* kCutShort = "a file of the capture is cut short or damaged";

struct Patient {
  const RunView* view;
  Overview overview;
  Peaks peaks;
  Attained rates;
  KernelsResult kernels;
  const CollectivesResult& collectives;
  std::vector<HostTime> hosts;  // like view->hosts
  Ledger ledger;

  const std::vector<OpTotal>& operations() const { return overview.operations->totals; }
  const OpRoof& roof(size_t operation) const { return overview.roofs[operation]; }
  bool has_devices() const { return !overview.devices.empty(); }
  bool has(PlaneKind kind) const;  // a device of this kind did something
  bool has_gpu() const { return has(PlaneKind::kGpu); }
  bool has_one_device() const { return view->device_count() < 2; }
  bool has_steps() const { return overview.device_steps > 0; }
  // Whether costs are without a part of the profiler that nobody measured.
  bool profiler_is_estimated() const {
    return overview.profiler && overview.profiler->is_estimate() && ledger.corrected();
  }
  // Whether a file is cut short, or damaged so that only its beginning could be read: the missing part may
  // hold anything.
  bool is_cut_short() const;

  // A finding with the cost of its claims. The severity follows from the share of the step.
  Finding Costs(Claims claims) const;
  // Whether the claims are worth a finding: their cost is `least` of a step or more.
  bool Matter(const Claims& claims, double least = kLeastShare) const;

  // Claims the idle time for which `fits` is true.
  Claims ClaimIdle(const std::function<bool(const IdleSlice&)>& fits) const;
  // The largest gaps of the claims as evidence; `say` words a gap. Gaps of several devices at the same time
  // are one row.
  std::vector<Evidence> GapEvidence(const Claims& claims,
                                    const std::function<std::string(const IdleSlice&)>& say) const;
  // " 74 % of it is in step 2; the other 7 steps share the rest.": where one step holds most of the claims, a
  // cost per step misleads. Otherwise empty.
  std::string MostlyOneStep(const Claims& claims) const;
  // The operations that cost most of the claims, as evidence.
  std::vector<Evidence> OperationEvidence(const Claims& claims) const;

  // Sets the place of a row of evidence to the first run of an operation.
  void PlaceAt(size_t operation, Evidence& row) const;

  // "32.8 ms a step"; without steps "32.8 ms in all", "32.8 ms on each device".
  std::string PerStep(Ps per_step) const;
};

Result<Patient> Examine(const RunView& view, const PeakOverride& given = {});

double ShareOf(Ps part, Ps whole);  // 0 for an empty whole

}  // namespace gait::analyze
