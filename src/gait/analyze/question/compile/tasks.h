// The compilations of one trace, and the work of each thread for them.
//
// A task is one jitted call that had to lower or compile: `PjitFunction(f)` around
// `lower_sharding_computation` and `backend_compile`; or these two without a call around them
// (f.lower(...).compile()). Work of the compiler's thread pools belongs to a task whose compiler call was
// running when the work began. Where several were running: the task that gave the work to the pool
// (pool_work.h), else the task whose module the work names, else the task that the thread worked for before,
// else the task that began last. Work that no call surrounds is a task of its own (the loading of programs by
// a TPU's runtime, say).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/vocabulary/compile_stages.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

enum class CacheResult : uint8_t {
  kUnknown,
  kHit,       // the cache's own log call is in the capture
  kMiss,      // the same
  kLikelyHit  // lowered, never compiled, then executed: the executable came from a cache
};

struct CompileTask {
  std::string function;  // "train_step"; empty: unknown
  std::string module;    // "jit_train_step"; empty: unknown
  TrackId thread;        // that asked; invalid: the task that nobody asked for
  EventIndex event;      // of the thread, that the span begins with
  Interval span;         // from the call to the end of the compiler's work
  Ps call_end;           // when the call that contains it ended; the span's end without one
  Ps lowered;            // when lowering ended; the span's begin without it
  std::optional<Interval> backend;
  CacheResult cache = CacheResult::kUnknown;
};

// A stretch of one stage of one task on one thread.
struct CompileSlice {
  Interval time;
  uint32_t task = 0;
  TrackId thread;
  CompileStage stage = CompileStage::kOther;
  bool autotuning = false;  // inside an event of the autotuner
  bool caller = false;      // the thread that asked: it waits while its workers work
};

struct CompileWork {
  std::vector<CompileTask> tasks;    // in order of begin
  std::vector<CompileSlice> slices;  // no two of one thread overlap
  uint64_t events = 0;               // of the capture that were part of it
};

// Linear in the events of host threads, plus O(n log n) in those that compile.
CompileWork FindCompileWork(const Trace& trace);

}  // namespace gait::analyze
