// Kernels: the kernels of the GPUs, with their times, and the time that the host took to launch them.
//
// A kernel is an event of a GPU stream that is no copy, no memset and no memory record. It counts when a part
// of it lies in the view's windows. A kernel of no length counts when it begins in a window.
//   total     = sum of the parts of durations inside the windows        [ps]
//   union     = length of the union of these parts, device by device    [ps]
//   mean, p50, p99, min, max: of whole durations; pN is the ceil(N/100 x count)-th smallest
//   launch    = the host's call that shares the kernel's correlation_id; a CUDA graph launch is one launch of
//               many kernels
// Identities: the totals of the kernels sum to `total`, and so do the totals of the size classes; the same
// holds for the counts. The union of a kernel is at most its total, and `union_time` is at most the sum of
// the unions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/question/kernels/kernel_details.h"
#include "gait/analyze/question/kernels/tensor_cores.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// The least and the greatest known value over the launches of a kernel.
struct Range {
  std::optional<int64_t> min;
  std::optional<int64_t> max;

  void Add(std::optional<int64_t> value);
};

struct Kernel {
  std::string name;                      // whole, demangled
  std::string short_name;                // no other kernel of the result has it
  WorkClass work = WorkClass::kUnknown;  // of its first launch
  uint64_t count = 0;
  Ps total, union_time;
  DurationStatistics durations;

  LaunchShape shape;    // the most frequent one
  uint64_t shapes = 0;  // how many different ones there are
  Range grid_blocks, block_threads, registers, shared;
  std::optional<Occupancy> computed;  // of `shape`
  std::optional<double> occupancy;    // percent: as the capture says, else as computed
  std::optional<double> waves;        // blocks of the grid / blocks that fit the device at once

  TensorCores tensor_cores = TensorCores::kUnknown;
  std::vector<std::string> devices;     // "GPU 0", in order of first use
  std::vector<int64_t> streams;         // sorted
  std::vector<std::string> operations;  // HLO instructions that ran it, in order of first use
  std::vector<uint64_t> programs;       // the ids of their programs, which may have one name
  std::vector<std::string> scopes;      // their scope paths, each once
};

struct SizeClass {
  std::string_view name;  // "below 10 µs"
  Ps from;                // durations of at least this
  Ps below;               // and less than this
  uint64_t count = 0;
  Ps total;
};

// The host's calls that launched the counted kernels.
struct LaunchCalls {
  uint64_t calls = 0;
  uint64_t graph_calls = 0;    // of them: launches of a CUDA or HIP graph
  uint64_t graph_kernels = 0;  // kernels that graphs launched
  uint64_t unlinked = 0;       // kernels whose call is not in the capture
  Ps total;                    // of the durations of the calls
  DurationStatistics durations;
  // The time between calls that follow each other within a millisecond: the host does little but launch then.
  Ps dispatching;
};

struct KernelsResult {
  std::vector<Kernel> kernels;  // the greatest total first
  std::array<SizeClass, 4> sizes;
  LaunchCalls launches;
  uint64_t count = 0;
  Ps total;
  Ps union_time;      // of all kernels together
  Ps window;          // time that the numbers cover, over all GPUs
  int64_t steps = 0;  // steps times GPUs; 0: no steps
  size_t gpus = 0;    // that did anything
  // Whether kernels cover less than half of the time, and the host was busy launching for more than half of
  // it.
  bool launch_bound = false;
};

// Linear in the events of the view's GPUs.
KernelsResult FindKernels(const RunView& view);

}  // namespace gait::analyze
