// MemoryLimit: the bytes that gait holds in memory of one input that cannot be mapped: of unpacked content,
// and of input from a pipe. A compressed file that unpacks to more is an error.
#pragma once

#include <cstddef>

namespace gait {

// The limit in bytes: the value of SetMemoryLimit, else of GAIT_MAX_MEMORY, else half of the memory that this
// process may use (the machine's, the container's, ulimit -v).
size_t MemoryLimit();
void SetMemoryLimit(size_t bytes);

}  // namespace gait
