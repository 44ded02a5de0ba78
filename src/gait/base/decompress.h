// gzip and zstd, whole buffers. A damaged or cut stream yields what could be read, and the reason.
#pragma once

#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait {

enum class Compression { kNone, kGzip, kZstd };

Compression DetectCompression(std::string_view data);

struct Decompressed {
  std::string data;
  std::string cut;  // why the data is incomplete; empty when it is whole
};

// An error when nothing at all could be read, or when the content exceeds the limits of limits.h.
Result<Decompressed> Decompress(std::string_view data, Compression compression, const std::string& name);

}  // namespace gait
