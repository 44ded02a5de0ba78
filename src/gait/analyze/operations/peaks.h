// Peaks: the highest rates at which a device can compute, per data type, and move bytes. Dense rates without
// sparsity, from the vendors' data sheets. A device is what JAX counts as one: a core of a TPU v2 or v3, a
// die of an MI250, half a TPU v7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

// The type that a matrix unit multiplies. kVector: no matrix multiplication, the vector units compute in f32.
enum class MathType : uint8_t { kF64, kF32, kTf32, kF16, kF8, kI8, kF4, kVector, kVector64 };
inline constexpr size_t kMathTypes = 9;
std::string_view Name(MathType type);  // "bf16", "tf32", "f32 vector", ...

enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kGoogle };

struct Peaks {
  std::string device;                                   // "NVIDIA H200"; empty: the capture does not say
  std::string from;                                     // where the numbers come from, for people
  std::array<std::optional<double>, kMathTypes> flops;  // FLOP/s by MathType
  std::optional<double> bytes_per_second;               // of the device's memory
  std::optional<double> captured_bytes_per_second;      // what the capture itself says, where both exist
  Vendor vendor = Vendor::kUnknown;
  bool tensor_float = false;  // f32 products run as TF32 unless told otherwise

  std::optional<double> of(MathType type) const { return flops[static_cast<size_t>(type)]; }
  friend bool operator==(const Peaks&, const Peaks&) = default;
};

// Peaks that a person gives. They replace the known peaks of the device, for all data types.
struct PeakOverride {
  std::optional<double> flops;
  std::optional<double> bytes_per_second;
};

// The peaks by the name that a driver or JAX's device_kind gives the device. Empty `device`: not in the
// table.
Peaks PeaksOfModel(std::string_view model);

// The peaks of a device of a capture: from the table of known devices, else from the numbers in the capture.
Peaks PeaksOf(const Trace& trace, const Plane& plane, const PeakOverride& given = {});

}  // namespace gait::analyze
