// Any bytes as a gzip and as a zstd stream: must neither crash, hang nor pass the limits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gait/base/decompress.h"
#include "gait/base/memory_limit.h"

static constexpr size_t kLimit = size_t{64} << 20;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gait::SetMemoryLimit(kLimit);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const gait::Compression compression : {gait::Compression::kGzip, gait::Compression::kZstd}) {
    const auto content = gait::Decompress(bytes, compression, "fuzz");
    if (!content) continue;
    if (content->data.size() > kLimit) __builtin_trap();
  }
  return 0;
}
