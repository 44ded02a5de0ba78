// MemoryLimit: the bytes that gait holds in memory of inputs that cannot be mapped, all together: of unpacked
// content, and of input from a pipe. A compressed file that unpacks to more is an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace gait {

// The limit in bytes: the value of SetMemoryLimit, else of GAIT_MAX_MEMORY, else half of the memory that this
// process may use (the machine's, the container's, ulimit -v).
size_t MemoryLimit();
void SetMemoryLimit(size_t bytes);

// The bytes of one input, counted among those of all as long as the object lives. Thread-safe between
// objects.
class HeldMemory {
 public:
  HeldMemory() = default;
  HeldMemory(HeldMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  HeldMemory& operator=(HeldMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HeldMemory() { Hold(0); }

  // Holds `bytes`, or as many as MemoryLimit leaves beside the other inputs; those that are held now.
  size_t Hold(size_t bytes);

 private:
  size_t bytes_ = 0;
};

// "4GB", "512 MiB", "100000": units of 1024. nullopt for what is no size, and for 0.
std::optional<size_t> ParseSize(std::string_view text);

}  // namespace gait
