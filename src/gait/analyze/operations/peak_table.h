// The devices whose peaks are known. peaks.h says what the numbers mean.
#pragma once

#include <span>
#include <string_view>

#include "gait/analyze/operations/peaks.h"

namespace gait::analyze {

// In TFLOP/s (TOP/s for int8) and GB/s; 0: the device has no such unit, or the vendor gives no number.
struct KnownDevice {
  std::string_view name;
  std::string_view match;  // words that the capture's name must all contain, in lower case
  Vendor vendor;
  double f64, f64_matrix, f32, f32_matrix, tf32, f16, f8, i8, f4;
  double gigabytes_per_second;
};

// More specific names come before those they contain.
std::span<const KnownDevice> KnownDeviceTable();

}  // namespace gait::analyze
