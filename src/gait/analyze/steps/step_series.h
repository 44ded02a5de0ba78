// Steps: which there are, and how long each took. docs/metrics/step_time.md has the definition, a picture, an
// example and the exceptions.
//
//   mark        the host's annotation or capture block (step_marks.h); without any, steps are inferred
//               (step_inference.h)
//   work        device work belongs to the step that launched it (work_owners.h)
//   finish(i)   per device, the end of the last work of step i
//   time(i)     per device, [finish(i - 1), finish(i)). A capture block spans its own time (step_blocks.h)
//   waited      the host had the result of the step before it went on (step_waits.h)
//
// Identity: where there is one kind of steps, they tile a device's time from the first finish to the last
// without gap or overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// How much of a step the capture holds.
enum class Completeness : uint8_t {
  kWhole,
  kBeginUnknown,  // nothing before it in the capture finished
  kPartial,       // the capture ends inside it, or holds only some of its work or none
  kPartialAndBeginUnknown,
  kNoWork,  // devices did nothing for it, though for steps before and after it
};

struct Step {
  int64_t number = 0;  // step_num, or the position for inferred ones
  Interval host;       // the annotation; inferred: step_inference.h says
  Interval host_step;  // until its thread's next; the annotation, where another kind or none comes next, and
                       // from the end of another kind before it
  bool alone = true;   // no step of its kind follows on its thread before another kind does
  TrackId thread{};    // of the annotation; inferred: none
  std::vector<Interval> time{};    // by device: the step; empty where the device has no part in it
  std::vector<uint64_t> events{};  // by device: how many pieces of work
  Completeness completeness = Completeness::kWhole;
  bool compiles = false;  // a program was compiled on the host's way to its end
  bool waited = false;    // the host waited for its result
  bool outlier = false;   // far from the median of the others

  bool complete() const { return completeness == Completeness::kWhole; }
  bool begin_unknown() const {
    return completeness == Completeness::kBeginUnknown ||
           completeness == Completeness::kPartialAndBeginUnknown;
  }
  bool partial() const {
    return completeness == Completeness::kPartial || completeness == Completeness::kPartialAndBeginUnknown;
  }
  bool no_work() const { return completeness == Completeness::kNoWork; }
  // Whether the device worked for the step, or was idle in the step while other devices worked for it.
  bool takes_part(size_t device) const { return events[device] > 0 || !time[device].empty(); }
  int64_t devices() const;  // how many take part
  bool has_work() const { return devices() > 0; }
  // Mean over the devices that take part; the annotation when none does.
  Ps duration() const;
};

enum class StepSource : uint8_t {
  kAnnotations,
  kBlocks,  // entries of a capture block
  kInferred,
};

// Which side of a loop is behind.
enum class Loop : uint8_t {
  kAsynchronous,  // the devices: they are behind the host, unless it waits for them
  kHostLate,      // the devices had done most steps when the host went on, for whatever reason
  kHostBound,     // the host: the devices had done most steps when it had launched them
  kInline,        // the host, as in most steps the last work ran inside the call that launched it, on a CPU
  kUnknown,       // the capture does not hold the calls that launched inferred steps
};

struct StepSeries {
  std::string name;  // of the annotation, or of the program
  StepSource source = StepSource::kAnnotations;
  size_t launches = 0;  // of programs in an inferred step
  std::string note{};   // what else an inferred step may be
  TrackId thread{};     // that launches inferred steps, where it is one
  Loop loop = Loop::kAsynchronous;
  bool waits = false;          // the host waits for the result of most steps
  std::vector<Ps> outside{};   // by device: work that was launched between the steps and is no step's
  std::vector<Ps> left_out{};  // by device: time between steps that is no step's, because of such work
  Ps of_others;  // of inferred steps: work in them that threads with programs of their own launched
  std::vector<Step> steps{};  // in order of begin

  bool inferred() const { return source == StepSource::kInferred; }
  bool blocks() const { return source == StepSource::kBlocks; }
  bool host_known() const { return loop != Loop::kUnknown; }
  // The host is the slower side.
  bool host_bound() const { return loop == Loop::kHostBound || loop == Loop::kInline; }
  bool has_work() const;
  // The program waits for most of its steps and goes on then. At the end of a block it is gait that waits.
  bool waits_in_loop() const { return waits && !blocks(); }
  // "the host waits for each step", "... for the results of 2 of 6 steps", "the host does not wait for
  // results"; of blocks "each block ends when its work is done"
  std::string LoopText() const;
  // The steps that numbers are about: the complete ones; where none is complete, all with device work.
  std::vector<const Step*> Counted() const;
};

}  // namespace gait::analyze
