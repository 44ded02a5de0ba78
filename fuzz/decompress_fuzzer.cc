// Any bytes as a gzip and as a zstd stream: must neither crash, hang nor pass the limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gait/base/decompress.h"
#include "gait/base/limits.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const gait::Compression compression : {gait::Compression::kGzip, gait::Compression::kZstd}) {
    const auto content = gait::Decompress(bytes, compression, "fuzz");
    if (!content) continue;
    const size_t limit = std::max(gait::limits::kMinDecompressed, size * gait::limits::kMaxCompressionRatio);
    if (content->data.size() > limit) __builtin_trap();
  }
  return 0;
}
