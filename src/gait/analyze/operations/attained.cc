#include "gait/analyze/operations/attained.h"

#include <algorithm>

#include "gait/analyze/operations/roofline.h"

namespace gait::analyze {
namespace {

struct Shares {
  double f64, f32, tf32, f16, f8, i8, vector, memory;
};

// One H200 at 700 W, JAX 0.11.2 and CUDA 13: the best of square products of 4096 to 16384, with random
// operands but for f8 and i8; memory: x + y of arrays of 4 GiB.
constexpr Shares kH200 = {0.96, 0.81, 0.82, 0.77, 0.69, 0.69, 0.81, 0.91};
// What large products usually reach of a data sheet.
constexpr Shares kUsual = {0.8, 0.8, 0.8, 0.8, 0.7, 0.7, 0.8, 0.9};

constexpr double kLeastShareOfBusy = 0.01;

Attained FromTable(const Shares& shares, RateSource source) {
  Attained attained;
  const auto set = [&](MathType type, double share) {
    attained.flops[static_cast<size_t>(type)] = {share, source};
  };
  set(MathType::kF64, shares.f64);
  set(MathType::kF32, shares.f32);
  set(MathType::kTf32, shares.tf32);
  set(MathType::kF16, shares.f16);
  set(MathType::kF8, shares.f8);
  set(MathType::kI8, shares.i8);
  set(MathType::kF4, shares.f8);
  set(MathType::kVector, shares.vector);
  set(MathType::kVector64, shares.f64);
  attained.memory = {shares.memory, source};
  return attained;
}

void Raise(AttainedShare& known, double share) {
  if (share > known.share) known = {std::min(1.0, share), RateSource::kCapture};
}

}  // namespace

std::string_view Describe(RateSource source) {
  switch (source) {
    case RateSource::kMeasured:
      return "measured on this model";
    case RateSource::kUsual:
      return "usual share of the data sheet";
    case RateSource::kCapture:
      return "the best of the capture";
  }
  return "";
}

Attained AttainedOf(const Peaks& peaks, const Operations& operations, const std::vector<OpRoof>& roofs) {
  const bool measured = peaks.device == "NVIDIA H200";
  Attained attained =
      FromTable(measured ? kH200 : kUsual, measured ? RateSource::kMeasured : RateSource::kUsual);
  for (size_t i = 0; i < roofs.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    const Work& work = roofs[i].work;
    if (work.ideal_seconds <= 0 || total.time.seconds() < kLeastShareOfBusy * operations.busy.seconds())
      continue;
    Raise(attained.flops[static_cast<size_t>(roofs[i].type)], work.compute_seconds / total.time.seconds());
    Raise(attained.memory, work.memory_seconds / total.time.seconds());
  }
  return attained;
}

double IdealShare(const OpTotal& operation, const OpRoof& roof, const Attained& rates) {
  const double compute = roof.work.compute_seconds / rates.of(roof.type).share;
  const double memory = roof.work.memory_seconds / rates.memory.share;
  return operation.time > Ps() ? std::max(compute, memory) / operation.time.seconds() : 1;
}

}  // namespace gait::analyze
