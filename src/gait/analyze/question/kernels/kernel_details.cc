#include "gait/analyze/question/kernels/kernel_details.h"

#include <algorithm>
#include <limits>

#include "gait/base/parse_number.h"

namespace gait::analyze {
namespace {

constexpr int64_t kMostRegisters = 512;
constexpr int64_t kMostShared = int64_t{1} << 20;
constexpr int64_t kMostBlocks = int64_t{1} << 31;  // in one dimension of a grid
constexpr int64_t kMostThreads = 4096;             // of a block
constexpr int64_t kWarp = 32;

std::optional<int64_t> Within(std::string_view text, int64_t least, int64_t most) {
  const auto value = ParseNumber<int64_t>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

std::optional<std::array<int64_t, 3>> Dimensions(std::string_view text, int64_t most) {
  std::array<int64_t, 3> result{};
  for (int64_t& dimension : result) {
    const size_t comma = text.find(',');
    const auto value = Within(text.substr(0, comma), 1, most);
    if (!value) return std::nullopt;
    dimension = *value;
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return text.empty() ? std::optional(result) : std::nullopt;
}

// What one multiprocessor of a compute capability has. Sources: the tables "Technical Specifications per
// Compute Capability" of the CUDA C++ Programming Guide 9.0 to 13.0.
struct Multiprocessor {
  ComputeCapability capability;
  int64_t warps;
  int64_t blocks;
  int64_t shared;           // bytes
  int64_t shared_reserved;  // bytes of every block that the system takes
  int64_t shared_unit;      // bytes
  int64_t parts = 4;        // each with its registers, which it shares with none
};
constexpr int64_t kKiB = 1024;
constexpr Multiprocessor kMultiprocessors[] = {
    {{6, 0}, 64, 32, 64 * kKiB, 0, 256, 2},   {{6, 1}, 64, 32, 96 * kKiB, 0, 256},
    {{6, 2}, 64, 32, 64 * kKiB, 0, 256},      {{7, 0}, 64, 32, 96 * kKiB, 0, 256},
    {{7, 2}, 64, 32, 96 * kKiB, 0, 256},      {{7, 5}, 32, 16, 64 * kKiB, 0, 256},
    {{8, 0}, 64, 32, 164 * kKiB, kKiB, 128},  {{8, 6}, 48, 16, 100 * kKiB, kKiB, 128},
    {{8, 7}, 48, 16, 164 * kKiB, kKiB, 128},  {{8, 9}, 48, 24, 100 * kKiB, kKiB, 128},
    {{9, 0}, 64, 32, 228 * kKiB, kKiB, 128},  {{10, 0}, 64, 32, 228 * kKiB, kKiB, 128},
    {{10, 3}, 64, 32, 228 * kKiB, kKiB, 128}, {{12, 0}, 48, 24, 100 * kKiB, kKiB, 128},
    {{12, 1}, 48, 24, 100 * kKiB, kKiB, 128},
};
constexpr int64_t kRegisters = 65536;   // of a multiprocessor
constexpr int64_t kRegisterUnit = 256;  // what a warp takes is a multiple of it

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

LaunchShape ParseKernelDetails(std::string_view text) {
  LaunchShape shape;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view item = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    const size_t colon = item.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = item.substr(0, colon);
    const std::string_view value = item.substr(colon + 1);
    if (key == "regs") shape.registers = Within(value, 1, kMostRegisters);
    if (key == "static_shared") shape.static_shared = Within(value, 0, kMostShared);
    if (key == "dynamic_shared") shape.dynamic_shared = Within(value, 0, kMostShared);
    if (key == "shm" || key == "group_mem") shape.shared = Within(value, 0, kMostShared);
    if (key == "grid") shape.grid = Dimensions(value, kMostBlocks);
    if (key == "block") shape.block = Dimensions(value, kMostThreads);
    if (key == "occ_pct") {
      const auto percent = ParseNumber<double>(value);
      if (percent && *percent > 0 && *percent <= 100) shape.occupancy = percent;
    }
  }
  if (shape.static_shared && shape.dynamic_shared)
    shape.shared = *shape.static_shared + *shape.dynamic_shared;
  return shape;
}

std::string_view Name(Limiter limiter) {
  switch (limiter) {
    case Limiter::kNone:
      return "none";
    case Limiter::kRegisters:
      return "registers";
    case Limiter::kSharedMemory:
      return "shared memory";
    case Limiter::kBlockSize:
      return "block size";
    case Limiter::kBlocks:
      return "blocks";
  }
  return "none";
}

std::optional<Occupancy> ComputeOccupancy(const LaunchShape& shape, ComputeCapability capability) {
  const auto* sm = std::ranges::find(kMultiprocessors, capability, &Multiprocessor::capability);
  if (sm == std::end(kMultiprocessors) || !shape.block || !shape.registers || !shape.shared)
    return std::nullopt;
  const auto [x, y, z] = *shape.block;
  const int64_t threads = x * y * z;  // at most 4096^3: no overflow
  const int64_t warps = RoundUp(threads, kWarp) / kWarp;
  const int64_t of_warp = RoundUp(*shape.registers * kWarp, kRegisterUnit);
  const int64_t of_block = RoundUp(*shape.shared + sm->shared_reserved, sm->shared_unit);
  const int64_t by_registers = kRegisters / sm->parts / of_warp * sm->parts / warps;
  const int64_t by_shared = of_block == 0 ? std::numeric_limits<int64_t>::max()
                                          : sm->shared / of_block;  // before 8.0 none is reserved
  const int64_t by_warps = sm->warps / warps;
  const int64_t blocks = std::min({by_registers, by_shared, by_warps, sm->blocks});
  if (blocks == 0) return std::nullopt;  // such a kernel cannot run: the numbers are wrong
  Occupancy result;
  result.blocks = blocks;
  result.percent = 100.0 * static_cast<double>(blocks * threads) / static_cast<double>(sm->warps * kWarp);
  if (blocks * threads < sm->warps * kWarp) {
    result.limiter = blocks == by_registers ? Limiter::kRegisters
                     : blocks == by_shared  ? Limiter::kSharedMemory
                     : blocks == by_warps   ? Limiter::kBlockSize
                                            : Limiter::kBlocks;
  }
  return result;
}

}  // namespace gait::analyze
