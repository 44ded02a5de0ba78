// For tests of rules about a capture as a whole: runs of six steps, allocators, copies.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {

using Maker = TestTraceMaker;

inline size_t Found(const std::shared_ptr<LoadedRun>& run, const std::string& rule) {
  return FindingsOf(*RunView::Make(*run, {}), rule).size();
}

// Six steps; `more` adds to each.
inline std::shared_ptr<LoadedRun> MakeRun(const std::function<void(Maker&)>& begin = {}, bool device = true,
                                          bool steps = true) {
  Maker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 7);
  const auto thread = maker.Thread(maker.Host(), 1, "python3");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i * kMicro;
    if (steps) maker.Event(thread, t, t + 900 * kMicro, "train", {{"step_num", i}});
    maker.Event(thread, t + 5, t + kMicro, "cuLaunchKernel", {{"correlation_id", i}});
    if (device) maker.Event(stream, t + 2 * kMicro, t + 999 * kMicro, "kernel", {{"correlation_id", i}});
  }
  if (begin) begin(maker);
  return maker.Finish();
}

// An allocator that had `used` of 1000 bytes in use, with the largest free piece and the rest free.
inline std::shared_ptr<LoadedRun> Memory(int64_t used, int64_t fragmentation) {
  return MakeRun([&](Maker& maker) {
    const auto thread = maker.Thread(maker.Host(), 9, "allocator");
    maker.Event(thread, 10 * kMicro, 10 * kMicro, "MemoryAllocation",
                {{"allocator_name", std::string("GPU_0_bfc")},
                 {"bytes_allocated", used},
                 {"bytes_available", 1000 - used},
                 {"bytes_reserved", 0},
                 {"requested_bytes", used},
                 {"allocation_bytes", used},
                 {"addr", 77},
                 {"fragmentation", fragmentation},
                 {"peak_bytes_in_use", used}});
  });
}

// Copies of `duration` us in each step, on a stream of their own beside a kernel, or after it.
inline std::shared_ptr<LoadedRun> Copies(const std::string& name, bool hidden) {
  Maker maker;
  const PlaneId gpu = maker.Gpu(0);
  const auto stream = maker.Stream(gpu, 7);
  const auto copies = maker.Stream(gpu, 8);
  const auto thread = maker.Thread(maker.Host(), 1, "python3");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i * kMicro;
    maker.Event(thread, t, t + 900 * kMicro, "train", {{"step_num", i}});
    maker.Event(thread, t + 5, t + kMicro, "cuLaunchKernel", {{"correlation_id", i}});
    maker.Event(thread, t + kMicro + 5, t + 2 * kMicro, "cuMemcpyAsync", {{"correlation_id", 50 + i}});
    maker.Event(stream, t + 3 * kMicro, t + 700 * kMicro, "kernel",
                {{"hlo_op", std::string("f")}, {"correlation_id", i}});
    const int64_t at = t + (hidden ? 100 : 710) * kMicro;
    maker.Event(copies, at, at + 200 * kMicro, name,
                {{"correlation_id", 50 + i}, {"memcpy_details", std::string("size:1000 kind_src:pageable")}});
  }
  ProgramMaker program("jit_f");
  const InstructionIndex sine = program.Add("f", "sine", "jit(f)/sin");
  maker.builder().AddProgram(program.Finish());
  return maker.Finish({{"f", {ProgramIndex(0), sine}}});
}

}  // namespace gait::analyze
