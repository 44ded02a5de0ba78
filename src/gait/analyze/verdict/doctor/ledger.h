// Ledger: the time that a run's numbers cover, cut into pieces that tile it. What a finding costs is the sum
// of the pieces it claims, so no finding costs more than there is, and findings that claim the same piece
// overlap.
//
//   pieces   idle time of one gap and cause (gaps too short to be listed: of one device and cause together),
//            and the self time of one operation on all devices
//   claim    a part [from, from + amount) of a piece that would go away; a piece that two findings share out
//            between them has two parts that do not meet
//   cost     of claims: sum of the amounts / device steps (without steps: / devices). It is an upper bound of
//            what a fix can save: other work may take its place, but no more than this time is there to be
//            saved.
//   step without findings = step - the union of what any of them claims
//
// Identity: the pieces sum to the window, exactly (idle causes sum to idle, self times to busy time).
//
// The profiler slows the host. Where the manifest tells how long steps took without it, what it added
// (captured - uncaptured) is taken off the pieces that the host caused, from each the same share; the
// device's work is as fast with the profiler as without. Amounts and steps are then those without the
// profiler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gait/analyze/operations/operations.h"
#include "gait/analyze/question/idle/gaps.h"
#include "gait/analyze/question/overview/overview.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

enum class GapReason : uint8_t;  // gap_reason.h

// Idle time of one cause.
struct IdleSlice {
  const HostView* host;
  size_t device;       // in the host's view
  const IdleGap* gap;  // null: of all gaps that are too short to be listed
  IdleCause cause;
  Ps time;
  GapReason reason{};  // found once: it is about names, and many rules ask for it

  // The gap lies where a step begins: between the last work of a step and the first of the next.
  bool between_steps() const {
    return gap != nullptr && gap->step != nullptr && gap->time.begin == gap->step->time[device].begin;
  }
};

struct Claim {
  uint32_t piece;
  Ps amount;  // of all steps, as captured
  Ps from{};
};
using Claims = std::vector<Claim>;

class Ledger {
 public:
  Ledger(const RunView& view, const Operations& operations, const std::optional<ProfilerCost>& profiler);

  const std::vector<IdleSlice>& idle() const { return idle_; }
  Claim Idle(size_t index) const { return {static_cast<uint32_t>(index), idle_[index].time}; }
  // At most the operation's self time.
  Claim Operation(size_t operation, Ps amount) const;

  Ps total() const { return total_; }  // of all pieces, as captured
  Ps step() const;                     // of a step; a device's window where there are no steps
  Ps captured_step() const;            // the same as captured
  bool corrected() const { return host_scale_ < 1; }
  int64_t steps() const { return steps_; }  // device steps; the devices where there are none

  Ps Cost(std::span<const Claim> claims) const;                             // of a step
  Ps StepWithout(std::span<const Claims* const> findings) const;            // of a step
  static bool Overlap(std::span<const Claim> a, std::span<const Claim> b);  // a common part of a piece
  // Idle time that no finding claims: by piece what is left, the end of it.
  Claims Unclaimed(std::span<const Claims* const> findings) const;

 private:
  double Scale(uint32_t piece) const;
  static Claims Union(std::span<const Claims* const> findings);

  std::vector<IdleSlice> idle_;
  std::vector<Ps> work_;  // by operation
  Ps total_;
  int64_t steps_ = 1;
  double host_scale_ = 1;
};

}  // namespace gait::analyze
