// Ledger: the time that a run's numbers cover, cut into pieces that tile it. The cost of a finding is the sum
// of the pieces that the finding claims. So no finding costs more than the whole, and findings that claim the
// same piece overlap.
//
//   pieces   idle time of one gap and cause (gaps too short to be listed: of one device and cause together),
//            and the self time of one operation on all devices
//   claim    a part [from, from + amount) of a piece that a fix would remove. Two findings that divide a
//            piece between them claim disjoint parts
//   cost     of claims: sum of the amounts / device steps (without steps: / devices). The cost is an upper
//            bound of what a fix saves: other work may take the place of the time.
//   step without findings = step - the union of their claims
//
// Identity: the pieces sum to the window, exactly (idle causes sum to idle, self times to busy time).
//
// The profiler slows the host, but not the device's work. What it added (captured - uncaptured) is taken off
// the pieces that the host caused, the same share from each. Amounts and steps are then those without the
// profiler. Where the added time is an estimate, the cost is a range.
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

// A piece of idle time of one cause.
struct IdleSlice {
  const HostView* host;
  size_t device;       // in the host's view
  const IdleGap* gap;  // null: of all gaps that are too short to be listed
  IdleCause cause;
  Ps time;
  GapReason reason{};  // found once: it is about names, and many rules ask for it

  // Whether the gap lies between the last work of a step and the first work of the next.
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
  // A claim of `amount` of an operation, cut to the operation's self time.
  Claim Operation(size_t operation, Ps amount) const;

  Ps TimeOf(size_t idle) const;        // of all device steps, without the profiler's part
  Ps total() const { return total_; }  // of all pieces, as captured
  Ps step() const;                     // of a step; a device's window where there are no steps
  Ps captured_step() const;            // the same as captured
  bool corrected() const { return host_scale_.middle < 1; }
  int64_t steps() const { return steps_; }  // device steps; the devices where there are none

  Ps Cost(std::span<const Claim> claims) const { return Cost(claims, &HostScale::middle); }  // of a step
  PsRange Range(std::span<const Claim> claims) const;                       // of a step: at least, at most
  Ps StepWithout(std::span<const Claims* const> findings) const;            // of a step
  static bool Overlap(std::span<const Claim> a, std::span<const Claim> b);  // a common part of a piece
  // Each claimed part once.
  static Claims Union(std::span<const Claims* const> findings);
  // The idle time that no finding claims: the unclaimed end of each piece.
  Claims Unclaimed(std::span<const Claims* const> findings) const;

 private:
  // The share of what the host caused that is left without the profiler.
  struct HostScale {
    double low = 1, middle = 1, high = 1;
  };
  double Scale(uint32_t piece, double HostScale::* which) const;
  Ps Cost(std::span<const Claim> claims, double HostScale::* which) const;

  std::vector<IdleSlice> idle_;
  std::vector<Ps> work_;  // by operation
  Ps total_;
  int64_t steps_ = 1;
  HostScale host_scale_;
};

}  // namespace gait::analyze
