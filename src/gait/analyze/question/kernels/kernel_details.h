// The shape with which a kernel was launched, and how full its multiprocessors can be.
//
//   occupancy = blocks that fit a multiprocessor at once x threads of a block
//               / threads that the multiprocessor holds
//   blocks    = the least of: registers / registers of a block, shared memory / shared memory of a block,
//               warps / warps of a block (a warp is 32 threads), and the hardware's limit of blocks
// with the allocation units of the compute capability. This is the theoretical occupancy: the blocks that
// fit, not the blocks that ran.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gait::analyze {

struct LaunchShape {
  std::optional<std::array<int64_t, 3>> grid;
  std::optional<std::array<int64_t, 3>> block;
  std::optional<int64_t> registers;       // per thread
  std::optional<int64_t> static_shared;   // bytes per block
  std::optional<int64_t> dynamic_shared;  // bytes per block
  std::optional<int64_t> shared;          // bytes per block, both together
  std::optional<double> occupancy;        // percent, as the capture says

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

// The text of the argument kernel_details in any of its forms: "regs:16 static_shared:0 dynamic_shared:0
// grid:64,1,1 block:128,1,1 occ_pct:100". Unknown keys are skipped. Numbers that no device has (AMD's
// uninitialised registers) and an occupancy of 0 count as unknown.
LaunchShape ParseKernelDetails(std::string_view text);

enum class Limiter : uint8_t { kNone, kRegisters, kSharedMemory, kBlockSize, kBlocks };
std::string_view Name(Limiter limiter);  // "none", "registers", "shared memory", "block size", "blocks"

struct Occupancy {
  double percent = 0;
  Limiter limiter = Limiter::kNone;  // what keeps it below 100 %; of several that bind, the first as listed
  int64_t blocks = 0;                // on a multiprocessor at once
};

struct ComputeCapability {
  int64_t major = 0;
  int64_t minor = 0;
  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
};

// nullopt where the compute capability is not in the table (6.0 to 12.1 are), or the registers, the shared
// memory or the block are not known.
std::optional<Occupancy> ComputeOccupancy(const LaunchShape& shape, ComputeCapability capability);

}  // namespace gait::analyze
