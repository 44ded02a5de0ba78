// gzip and zstd, whole buffers. A damaged or cut stream gives its readable beginning, and the reason.
#pragma once

#include <string>
#include <string_view>

#include "gait/base/memory_limit.h"
#include "gait/base/result.h"

namespace gait {

enum class Compression { kNone, kGzip, kZstd };

Compression DetectCompression(std::string_view data);

// Why only the beginning of a compressed stream could be read.
struct StreamCut {
  std::string why;       // empty when the stream is whole
  bool damaged = false;  // its bytes are wrong; otherwise they end too early

  bool empty() const { return why.empty(); }
};

struct Decompressed {
  std::string data;
  StreamCut cut;
  HeldMemory held{};  // of data
};

// An error when nothing at all could be read, or when the content exceeds what MemoryLimit leaves.
Result<Decompressed> Decompress(std::string_view data, Compression compression, const std::string& name);

}  // namespace gait
