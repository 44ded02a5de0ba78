// MemoryLimit: how much content gait holds in memory of one input that cannot be mapped: what is unpacked,
// and what comes through a pipe. A small file that unpacks to more is an error, however it got so small.
#pragma once

#include <cstddef>

namespace gait {

// Bytes: what SetMemoryLimit said, else GAIT_MAX_MEMORY, else half of the memory that this process may use
// (the machine's, the container's, ulimit -v).
size_t MemoryLimit();
void SetMemoryLimit(size_t bytes);

}  // namespace gait
