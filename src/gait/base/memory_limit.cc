#include "gait/base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace gait {
namespace {

std::atomic<size_t> limit_asked = 0;  // 0: nobody asked for one
std::atomic<size_t> held = 0;         // of all inputs

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

std::optional<size_t> ParseSize(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::toupper(c); });
  if (unit.ends_with("IB")) unit.erase(unit.size() - 2);
  if (unit.ends_with('B')) unit.pop_back();
  constexpr std::string_view kUnits = "KMGT";
  const size_t unit_at = unit.size() == 1 ? kUnits.find(unit[0]) : std::string_view::npos;
  if (error != std::errc() || number == 0 || (!unit.empty() && unit_at == std::string_view::npos))
    return std::nullopt;
  const size_t shift = unit.empty() ? 0 : 10 * (unit_at + 1);
  if (number > std::numeric_limits<size_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

void SetMemoryLimit(size_t bytes) { limit_asked = bytes; }

size_t MemoryLimit() {
  if (limit_asked > 0) return limit_asked;
  if (const char* const text = std::getenv("GAIT_MAX_MEMORY")) {
    if (const std::optional<size_t> bytes = ParseSize(text)) return *bytes;
  }
  return UsableMemory() / 2;
}

size_t HeldMemory::Hold(size_t bytes) {
  const size_t limit = bytes > bytes_ ? MemoryLimit() : 0;  // less is always allowed
  size_t all = held;
  size_t granted = 0;
  do {
    const size_t others = all - bytes_;
    granted = bytes > bytes_ ? std::max(bytes_, std::min(bytes, limit - std::min(limit, others))) : bytes;
  } while (!held.compare_exchange_weak(all, all - bytes_ + granted));
  return bytes_ = granted;
}

}  // namespace gait
