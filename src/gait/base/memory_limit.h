// MemoryLimit: the bytes that gait holds in memory of one input that cannot be mapped: of unpacked content,
// and of input from a pipe. A compressed file that unpacks to more is an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gait {

// The limit in bytes: the value of SetMemoryLimit, else of GAIT_MAX_MEMORY, else half of the memory that this
// process may use (the machine's, the container's, ulimit -v).
size_t MemoryLimit();
void SetMemoryLimit(size_t bytes);

// "4GB", "512 MiB", "100000": units of 1024. nullopt for what is no size, and for 0.
std::optional<size_t> ParseSize(std::string_view text);

}  // namespace gait
