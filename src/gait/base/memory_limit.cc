#include "gait/base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace gait {
namespace {

std::atomic<size_t> limit_asked = 0;  // 0: nobody asked for one

uint64_t UsableMemory() {
  uint64_t least =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  // A container sees its own group here. "max" is no number.
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) least = std::min(least, limit);
  }
  rlimit address{};
  if (::getrlimit(RLIMIT_AS, &address) == 0 && address.rlim_cur != RLIM_INFINITY)
    least = std::min<uint64_t>(least, address.rlim_cur);
  return least;
}

}  // namespace

void SetMemoryLimit(size_t bytes) { limit_asked = bytes; }

size_t MemoryLimit() {
  if (limit_asked > 0) return limit_asked;
  if (const char* const text = std::getenv("GAIT_MAX_MEMORY")) {
    const unsigned long long bytes = std::strtoull(text, nullptr, 10);
    if (bytes > 0) return bytes;
  }
  return UsableMemory() / 2;
}

}  // namespace gait
