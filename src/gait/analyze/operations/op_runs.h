// Executions: how often an operation ran. Where the compiler made k kernels of an instruction, one execution
// has k events.
//
//   GPU, outside loops   the number of runs of the program in which the operation has an event. Events belong
//                        to one run when the host made their launches inside one Execute call, or when one
//                        launch of a CUDA graph made them all.
//   GPU, inside a loop   the smallest number of events that any of its kernel names has: each iteration runs
//                        every kernel at least once. Also where the capture does not tell runs apart.
//   CPU, outside loops   the number of runs, by their ids, in which the operation has an event: a sort copies
//                        its operands first, each in an event of its own.
//   CPU, inside a loop   each event is one execution, but events of a sort that follow each other directly on
//                        the device are one together. Also where events have no run id.
//   TPU                  each event is one execution. Of an operation on both lines, the line of operations
//                        and the asynchronous one, the events of the former count.
//   of no instruction    each event is one execution.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/analyze/operations/operation_index.h"
#include "gait/analyze/view/run_view.h"
#include "gait/trace/arg_column.h"

namespace gait::analyze {

// Whether a computation runs more than once per run of its program: the computation is the body or the
// condition of a loop, or called from one. By ComputationIndex; linear in the program.
std::vector<bool> InLoops(const Program& program);

// The run of a program that an event of a GPU or a CPU belongs to. O(events of the launching threads) over
// all calls.
class ProgramRuns {
 public:
  explicit ProgramRuns(const HostView& host);

  // The same number for all events of one run; nullopt when the capture does not tell.
  std::optional<uint64_t> Find(const WorkItem& item) {
    if (host_.trace().track(item.event.track).info().kind == TrackKind::kOps) return RunId(item);
    return item.has_call() && item.call == last_call_ ? last_run_ : FindOther(item);
  }

 private:
  std::optional<uint64_t> FindOther(const WorkItem& item);
  std::optional<uint64_t> RunId(const WorkItem& item) const;
  std::optional<uint64_t> Run(EventRef call, bool graph);
  const std::vector<uint32_t>& Enclosing(TrackId track);

  const HostView& host_;
  StringId correlation_;
  ArgColumn run_id_;
  std::vector<bool> execute_;                     // by name: the event is a run of a program
  std::vector<bool> graph_;                       // by argument set: a node of a CUDA graph
  std::vector<std::vector<uint32_t>> enclosing_;  // by track and event: the run around it + 1; 0: none
  EventRef last_call_;
  std::optional<uint64_t> last_run_;  // of that call
};

// Whether several events of the operation may be one execution on a device of this kind.
bool MayHaveParts(const Operation& operation, PlaneKind device);
// Whether an event that directly follows another event of the operation belongs to the same execution.
bool GoesOn(const Operation& operation, PlaneKind device);

// Counts the executions of all operations of one device. Add the device's events in order of begin.
class ExecutionCounter {
 public:
  ExecutionCounter(const HostView& host, const Device& device, ProgramRuns& runs,
                   const std::vector<Operation>& operations);

  // An event of the track.
  void Add(uint32_t operation, const Track& track, const WorkItem& item);
  // The executions by operation. Linear in operations and kernel names.
  std::vector<uint64_t> Finish();

 private:
  struct Seen {
    uint64_t events = 0;  // on a TPU: those on the line of operations
    uint64_t asynchronous = 0;
    uint64_t runs = 0;
    uint64_t last_run = 0;
    bool by_runs = false;  // several events may be one execution
    bool in_loop = false;
    bool run_unknown = false;
    uint64_t same = 0;                    // events that go on with the execution of the one before
    std::vector<uint64_t> runs_of_cpu{};  // there programs may run side by side
    StringId name;                        // of the first kernel
    uint64_t name_count = 0;              // events that have it
    StringId other_name;                  // the last of the other ones
    uint64_t* other_count = nullptr;
  };

  const std::vector<Operation>& operations_;
  ProgramRuns& runs_;
  PlaneKind kind_;
  uint32_t last_operation_;  // that had an event on the device
  std::vector<Seen> seen_;
  std::unordered_map<uint64_t, uint64_t> other_names_;  // operation and name: events
};

}  // namespace gait::analyze
