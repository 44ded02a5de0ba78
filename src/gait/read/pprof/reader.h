// Reads device memory profiles (pprof).
#pragma once

#include <string>
#include <string_view>

#include "gait/base/result.h"
#include "gait/trace/heap_profile.h"

namespace gait::pprof {

// Reads a file, unwrapped from gzip or zstd. An error when the file holds no memory profile; damage is a
// loss.
Result<HeapProfile> ReadFile(const std::string& path);

// Reads a Profile message. Linear in its bytes; takes a few times their memory.
Result<HeapProfile> ReadProfile(std::string_view message, const std::string& name);

}  // namespace gait::pprof
