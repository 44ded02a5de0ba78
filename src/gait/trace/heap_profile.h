// HeapProfile: a device memory profile: the allocations at one moment, and the Python stacks that made them
// (jax.profiler.save_device_memory_profile). Immutable once read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/trace/loss.h"

namespace gait {

struct HeapFrame {
  std::string function;
  std::string file;
  int64_t line = 0;

  friend auto operator<=>(const HeapFrame&, const HeapFrame&) = default;
};

struct HeapSample {
  std::vector<uint32_t> stack;   // into HeapProfile::frames, the innermost first; empty: no traceback
  int64_t count = 0;             // allocations
  std::optional<int64_t> bytes;  // all of them together; nullopt: the backend does not know
  std::string kind;              // "buffer", "executable"; empty: no label
  std::string device;            // "cuda:0", "TPU_0(process=0,(0,0,0,0))"; empty: no label
};

struct HeapProfile {
  std::string path;
  std::vector<HeapFrame> frames;
  std::vector<HeapSample> samples;
  std::vector<Loss> losses;
};

}  // namespace gait
