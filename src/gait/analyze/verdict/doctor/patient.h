// Patient: what rules look at. Every number is that of the analysis it comes from, each made once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/question/host/host.h"
#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/question/overview/overview.h"
#include "gait/analyze/verdict/doctor/finding.h"
#include "gait/analyze/verdict/doctor/ledger.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// Below this share of a step nothing is worth a finding.
inline constexpr double kLeastShare = 0.01;
// From these shares on a finding is a warning, and a high one.
inline constexpr double kWarningShare = 0.03;
inline constexpr double kHighShare = 0.10;

// Why a rule about several devices could not look.
inline constexpr const char* kOneDevice = "the capture holds one device";
// Why what is counted is not known (Patient::is_cut_short).
inline constexpr const char* kCutShort = "a file of the capture is cut short or damaged";

struct Patient {
  const RunView* view;
  Overview overview;
  Peaks peaks;
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
  // A file ends before its end, or is damaged where only its beginning could be read: what is missing may be
  // anything.
  bool is_cut_short() const;

  // A finding with the cost of its claims; severity follows from the share.
  Finding Costs(Claims claims) const;
  // Whether claims are worth a finding.
  bool Matter(const Claims& claims, double least = kLeastShare) const;

  // Idle time that fits.
  Claims ClaimIdle(const std::function<bool(const IdleSlice&)>& fits) const;
  // The largest gaps of the claims, as evidence; `say` words one. Gaps of several devices at the same time
  // are one row.
  std::vector<Evidence> GapEvidence(const Claims& claims,
                                    const std::function<std::string(const IdleSlice&)>& say) const;
  // " 74 % of it is in step 2; the other 7 steps share the rest.": where one step holds most of what is
  // claimed, a cost per step misleads. Empty elsewhere.
  std::string MostlyOneStep(const Claims& claims) const;
  // The operations that cost most of the claims, as evidence.
  std::vector<Evidence> OperationEvidence(const Claims& claims) const;

  // Puts a row of evidence to where an operation first ran.
  void PlaceAt(size_t operation, Evidence& row) const;

  // "32.8 ms a step"; without steps "32.8 ms in all", "32.8 ms on each device".
  std::string PerStep(Ps per_step) const;
};

Result<Patient> Examine(const RunView& view);

double ShareOf(Ps part, Ps whole);  // 0 for an empty whole

}  // namespace gait::analyze
