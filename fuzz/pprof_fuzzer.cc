// Any bytes as a pprof Profile: must neither crash nor hang, and must give a consistent profile.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gait/read/pprof/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto profile = gait::pprof::ReadProfile({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!profile) return 0;
  for (const gait::HeapSample& sample : profile->samples) {
    if (sample.count < 0 || sample.bytes.value_or(0) < 0) __builtin_trap();
    for (const uint32_t frame : sample.stack) {
      if (frame >= profile->frames.size()) __builtin_trap();
    }
  }
  return 0;
}
