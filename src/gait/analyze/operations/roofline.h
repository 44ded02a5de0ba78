// Roofline: how close each operation comes to what the device could do.
//
//   compute time  = flops / peak of its data type (math_type.h)      seconds
//   memory time   = bytes / memory bandwidth
//   ideal time    = max(compute time, memory time)
//   bound by      = compute or memory: which of the two times is larger
//   intensity     = flops / bytes
//   attainable    = min(peak, intensity x bandwidth)                  FLOP/s
//   efficiency    = ideal time / time = achieved / attainable
//   wasted        = self x (1 - efficiency), at least 0
// flops and bytes are static, and so are intensity and ideal time: they follow from the shapes in the
// program. Time is measured. Bytes count every operand once, as if it came from memory: an operation whose
// operands are still in a cache can be faster than "ideal".
//
// A step: utilisation = (sum over operations of flops / peak) / (devices x step time). A product has the peak
// of its own type; everything else has the peak of the most used product type.
//   HFU  with all flops that were executed
//   MFU  without rematerialised flops: the flops that the model needs
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/operations/math_type.h"
#include "gait/analyze/operations/operations.h"
#include "gait/analyze/operations/peaks.h"

namespace gait::analyze {

enum class Bound : uint8_t { kCompute, kMemory, kUnknown };
std::string_view Name(Bound bound);  // "compute", "memory", "unknown"

// Static work; sums over operations.
struct Work {
  double flops = 0;
  double bytes = 0;
  double compute_seconds = 0;  // of what has a known peak
  double memory_seconds = 0;
  double ideal_seconds = 0;
  Ps judged_self;            // self time of the operations whose ideal time is known
  Ps judged_time;            // and their time
  Ps wasted;                 // of these
  Ps unknown_self;           // self time of operations whose flops or bytes are not known
  bool flops_known = false;  // of at least one operation
  bool bytes_known = false;
  std::string unknown_because;   // of the first one that is not known
  std::string unjudged_because;  // of the first one whose ideal time is not known

  void Add(const Work& other);
  Bound bound() const;
  // FLOP per byte; nullopt: bytes unknown or 0.
  std::optional<double> intensity() const;
  // Achieved rate / attainable rate; nullopt: unknown.
  std::optional<double> efficiency() const;
};

// One operation against the roof of its data type.
struct OpRoof {
  MathType type = MathType::kVector;
  std::optional<double> peak;        // FLOP/s of the type
  std::optional<double> attainable;  // FLOP/s at its intensity
  Work work;
};

// The peaks of the view's devices. Unknown where the devices are not all of one kind.
Peaks PeaksOfRun(const RunView& view, const PeakOverride& given = {});

// The roof of each operation.
std::vector<OpRoof> Roofs(const Operations& operations, const Peaks& peaks);

struct StepWork {
  int64_t devices = 0;
  std::optional<double> seconds;  // of a step; nullopt: no steps
  double flops = 0;               // of a step, all devices
  double model_flops = 0;         // without rematerialised ones
  double bytes = 0;
  MathType type = MathType::kVector;  // of the products with the most flops
  bool mixed_types = false;           // another type has more than a hundredth of them
  std::optional<double> peak;         // FLOP/s of that type, all devices
  std::optional<double> flops_per_second;
  std::optional<double> hfu;  // 0 to 1
  std::optional<double> mfu;
  double unknown_share = 0;     // of the self time, whose flops are not known
  bool flops_known = false;     // of at least one operation
  std::string unknown_because;  // of the first one whose flops are not known
  std::string no_peak_because;  // where there is no peak
};

// The work of a step; where there are no steps, of the whole window.
StepWork FindStepWork(const RunView& view, const Operations& operations, const std::vector<OpRoof>& roofs,
                      const Peaks& peaks);

}  // namespace gait::analyze
