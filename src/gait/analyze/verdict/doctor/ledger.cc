#include "gait/analyze/verdict/doctor/ledger.h"

#include <algorithm>
#include <map>

#include "gait/analyze/verdict/doctor/gap_reason.h"

namespace gait::analyze {
namespace {

// Never more than the time: a double has fewer digits.
Ps Scaled(Ps time, double scale) {
  return std::min(time, Ps(static_cast<int64_t>(static_cast<double>(time.value()) * scale)));
}

}  // namespace

Ledger::Ledger(const RunView& view, const Operations& operations,
               const std::optional<ProfilerCost>& profiler) {
  for (const HostView& host : view.hosts) {
    const HostIdle& found = FindIdle(host);
    for (size_t d = 0; d < found.devices.size(); ++d) {
      const DeviceIdle& device = found.devices[d];
      TimeByCause rest = device.by;
      for (const IdleGap& gap : device.longest) {
        for (size_t c = 0; c < kIdleCauses; ++c) {
          if (gap.by[c] == Ps()) continue;
          idle_.push_back({&host, d, &gap, static_cast<IdleCause>(c), gap.by[c]});
          rest[c] -= gap.by[c];
        }
      }
      for (size_t c = 0; c < kIdleCauses; ++c) {
        if (rest[c] > Ps()) idle_.push_back({&host, d, nullptr, static_cast<IdleCause>(c), rest[c]});
      }
    }
  }
  for (const OpTotal& total : operations.totals) work_.push_back(total.self);
  Ps from_host;
  for (IdleSlice& piece : idle_) {
    piece.reason = FindReason(piece);
    total_ += piece.time;
    if (GrowsWithRecording(piece.cause)) from_host += piece.time;
  }
  for (const Ps self : work_) total_ += self;
  steps_ = view.portions();
  if (profiler && from_host > Ps()) {
    const auto without = [&](Ps added) {
      const Ps left = std::max(Ps(), from_host - std::max(Ps(), added) * steps_);
      return static_cast<double>(left.value()) / static_cast<double>(from_host.value());
    };
    host_scale_ = {without(profiler->slower.high), without(profiler->captured - profiler->uncaptured),
                   without(profiler->slower.low)};
  }
}

Claim Ledger::Operation(size_t operation, Ps amount) const {
  return {static_cast<uint32_t>(idle_.size() + operation), std::clamp(amount, Ps(), work_[operation])};
}

double Ledger::Scale(uint32_t piece, double HostScale::* which) const {
  return piece < idle_.size() && GrowsWithRecording(idle_[piece].cause) ? host_scale_.*which : 1;
}

Ps Ledger::TimeOf(size_t idle) const {
  return Scaled(idle_[idle].time, Scale(static_cast<uint32_t>(idle), &HostScale::middle));
}

Ps Ledger::captured_step() const { return total_ / steps_; }

Ps Ledger::step() const {
  Ps all = total_;
  for (size_t i = 0; i < idle_.size() && corrected(); ++i) {
    all -= idle_[i].time - TimeOf(i);
  }
  return all / steps_;
}

Ps Ledger::Cost(std::span<const Claim> claims, double HostScale::* which) const {
  Ps sum;
  for (const Claim& claim : claims) sum += Scaled(claim.amount, Scale(claim.piece, which));
  return sum / steps_;
}

PsRange Ledger::Range(std::span<const Claim> claims) const {
  return {Cost(claims, &HostScale::low), Cost(claims, &HostScale::high)};
}

// Parts that meet or overlap become one.
Claims Ledger::Union(std::span<const Claims* const> findings) {
  std::map<uint32_t, std::vector<Interval>> parts;
  for (const Claims* claims : findings) {
    for (const Claim& claim : *claims) parts[claim.piece].push_back({claim.from, claim.from + claim.amount});
  }
  Claims together;
  for (auto& [piece, intervals] : parts) {
    for (const Interval& part : Normalize(std::move(intervals)))
      together.push_back({piece, part.length(), part.begin});
  }
  return together;
}

Ps Ledger::StepWithout(std::span<const Claims* const> findings) const {
  return std::max(Ps(), step() - Cost(Union(findings)));
}

Claims Ledger::Unclaimed(std::span<const Claims* const> findings) const {
  std::vector<Ps> claimed(idle_.size());
  for (const Claim& claim : Union(findings)) {
    if (claim.piece < idle_.size()) claimed[claim.piece] += claim.amount;
  }
  Claims rest;
  for (size_t i = 0; i < idle_.size(); ++i) {
    if (claimed[i] < idle_[i].time)
      rest.push_back({static_cast<uint32_t>(i), idle_[i].time - claimed[i], claimed[i]});
  }
  return rest;
}

bool Ledger::Overlap(std::span<const Claim> a, std::span<const Claim> b) {
  std::map<uint32_t, std::vector<Interval>> parts;
  for (const Claim& claim : a) parts[claim.piece].push_back({claim.from, claim.from + claim.amount});
  return std::ranges::any_of(b, [&](const Claim& claim) {
    const auto found = parts.find(claim.piece);
    const Interval part{claim.from, claim.from + claim.amount};
    return found != parts.end() &&
           std::ranges::any_of(found->second, [&](Interval other) { return part.overlaps(other); });
  });
}

}  // namespace gait::analyze
