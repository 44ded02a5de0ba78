#include "gait/analyze/question/kernels/kernel_details.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(KernelDetails, ParsesEveryForm) {
  const LaunchShape nvidia = ParseKernelDetails(
      "regs:74 static_shared:32 dynamic_shared:16384 grid:128,2,1 block:128,1,1 occ_pct:37.5");
  EXPECT_EQ(nvidia.registers, 74);
  EXPECT_EQ(nvidia.static_shared, 32);
  EXPECT_EQ(nvidia.dynamic_shared, 16384);
  EXPECT_EQ(nvidia.shared, 16416);
  EXPECT_EQ(nvidia.grid, (std::array<int64_t, 3>{128, 2, 1}));
  EXPECT_EQ(nvidia.block, (std::array<int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(nvidia.occupancy, 37.5);
  const LaunchShape old = ParseKernelDetails("regs:16 shm:512 grid:1,1,1 block:32,1,1");
  EXPECT_EQ(old.shared, 512);
  EXPECT_FALSE(old.occupancy);
  const LaunchShape amd =
      ParseKernelDetails(" grid:1280,1,1 block:256,1,1 private_mem:0 group_mem:2112 occ_pct:0");
  EXPECT_EQ(amd.shared, 2112);
  EXPECT_FALSE(amd.registers);
  EXPECT_FALSE(amd.occupancy);  // no kernel has none
}

TEST(KernelDetails, WhatNoDeviceHasIsUnknown) {
  const LaunchShape shape = ParseKernelDetails(
      "regs:2191500840 static_shared:324620000 dynamic_shared:-1 grid:0,1,1 block:1,1 occ_pct:250 x y:z");
  EXPECT_EQ(shape, LaunchShape());
  EXPECT_EQ(ParseKernelDetails(""), LaunchShape());
  EXPECT_EQ(ParseKernelDetails("grid:99999999999999999999,1,1 block:1,1,1,1 regs: :: :"), LaunchShape());
}

LaunchShape Shape(int64_t registers, int64_t shared, int64_t threads) {
  LaunchShape shape;
  shape.registers = registers;
  shape.shared = shared;
  shape.block = {threads, 1, 1};
  return shape;
}

void Expect(const LaunchShape& shape, ComputeCapability capability, double percent, Limiter limiter) {
  const auto found = ComputeOccupancy(shape, capability);
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->percent, percent);
  EXPECT_EQ(found->limiter, limiter);
}

TEST(Occupancy, IsLimitedByWhatRunsOutFirst) {
  const ComputeCapability h100{9, 0};
  Expect(Shape(16, 0, 128), h100, 100, Limiter::kNone);
  Expect(Shape(74, 16384, 128), h100, 37.5, Limiter::kRegisters);
  Expect(Shape(32, 100 * 1024, 128), h100, 12.5, Limiter::kSharedMemory);
  Expect(Shape(16, 0, 768), h100, 75, Limiter::kBlockSize);
  Expect(Shape(16, 0, 32), h100, 50, Limiter::kBlocks);
  Expect(Shape(16, 0, 1), h100, 100.0 * 32 / 2048, Limiter::kBlocks);  // the driver counts threads, not warps
  Expect(Shape(16, 0, 48), h100, 75, Limiter::kBlockSize);
  // Every block gives 1 KiB of its shared memory to the system since 8.0: of 32 KiB, six fit instead of
  // seven.
  Expect(Shape(16, 32 * 1024, 256), h100, 75, Limiter::kSharedMemory);
  Expect(Shape(16, 0, 1024), {8, 6}, 100.0 * 32 / 48, Limiter::kBlockSize);
  Expect(Shape(38, 0, 64), {6, 0}, 100.0 * 50 / 64, Limiter::kRegisters);  // two halves of 32 768 registers
  Expect(Shape(38, 0, 64), {6, 1}, 100.0 * 48 / 64, Limiter::kRegisters);  // four quarters
  Expect(Shape(255, 0, 256), {7, 5}, 25, Limiter::kRegisters);
  Expect(Shape(16, 0, 32), {7, 0}, 50, Limiter::kBlocks);  // of no shared memory none runs out
}

TEST(Occupancy, IsUnknownWithoutTheNumbers) {
  EXPECT_FALSE(ComputeOccupancy(Shape(16, 0, 128), {0, 0}));
  EXPECT_FALSE(ComputeOccupancy(LaunchShape(), {9, 0}));
  EXPECT_FALSE(ComputeOccupancy(Shape(255, 0, 4096), {9, 0}));  // fits no multiprocessor
}

}  // namespace
}  // namespace gait::analyze
