// Attained rates: how much of a device's peaks (peaks.h) its best programs reach. A step is held against
// these, not against the data sheet: nothing that runs on the device comes nearer to the sheet.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "gait/analyze/operations/operations.h"
#include "gait/analyze/operations/peaks.h"

namespace gait::analyze {

struct OpRoof;

// Where a rate comes from.
enum class RateSource : uint8_t {
  kMeasured,  // on a device of this model
  kUsual,     // the data sheet's, times what devices of this kind usually reach
  kCapture,   // an operation of the capture reaches more than these
};
std::string_view Describe(RateSource source);

// A part of a peak, 0 to 1.
struct AttainedShare {
  double share = 1;
  RateSource source = RateSource::kUsual;
};

struct Attained {
  std::array<AttainedShare, kMathTypes> flops{};  // by MathType
  AttainedShare memory{};

  const AttainedShare& of(MathType type) const { return flops[static_cast<size_t>(type)]; }
};

// `operations` with their roofs: what the capture itself reaches counts where an operation takes a hundredth
// of the busy time or more.
Attained AttainedOf(const Peaks& peaks, const Operations& operations, const std::vector<OpRoof>& roofs);

// How much of an operation's time it would take at these rates; 1: all of it.
double IdealShare(const OpTotal& operation, const OpRoof& roof, const Attained& rates);

}  // namespace gait::analyze
