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

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct Step {
  int64_t number = 0;  // step_num, or the position for inferred ones
  Interval host;       // the annotation; inferred: step_inference.h says
  Interval host_step;  // until its thread's next; the annotation, where another kind or none comes next, and
                       // from the end of another kind before it
  bool alone = true;   // no step of its kind follows on its thread before another kind does
  TrackId thread{};    // of the annotation; inferred: none
  std::vector<Interval> time;    // by device: the step; empty where the device has no part in it
  std::vector<uint64_t> events;  // by device: how many pieces of work
  bool first = false;            // nothing before it in the capture finished, so where it began is not known
  bool partial = false;          // the capture ends inside it, or holds only some of its work or none
  bool no_work = false;          // devices did nothing for it, though for steps before and after it
  bool compiles = false;         // a program was compiled on the host's way to its end
  bool waited = false;           // the host waited for its result
  bool outlier = false;          // far from the median of the others

  bool complete() const { return !first && !partial && !no_work; }
  // Whether the device worked for the step, or was idle in the step while other devices worked for it.
  bool takes_part(size_t device) const { return events[device] > 0 || !time[device].empty(); }
  int64_t devices() const;  // how many take part
  bool has_work() const { return devices() > 0; }
  // Mean over the devices that take part; the annotation when none does.
  Ps duration() const;
};

struct StepSeries {
  std::string name;  // of the annotation, or of the program
  bool inferred = false;
  bool blocks = false;       // entries of a capture block
  size_t launches = 0;       // of programs in an inferred step
  std::string note{};        // what else an inferred step may be
  TrackId thread{};          // that launches inferred steps, where it is one
  bool host_known = true;    // false: the capture does not hold the calls that launched inferred steps
  bool waits = false;        // the host waits for the result of most steps
  bool host_bound = false;   // the device had done most steps when the host had launched them
  bool host_late = false;    // the device had done most steps when the host went on, for whatever reason
  bool runs_inline = false;  // in most steps the last work ran inside the call that launched it, on a CPU
  std::vector<Ps> outside;   // by device: work that was launched between the steps and is no step's
  std::vector<Ps> left_out;  // by device: time between steps that is no step's, because of such work
  Ps of_others;  // of inferred steps: work in them that threads with programs of their own launched
  std::vector<Step> steps;  // in order of begin

  bool has_work() const;
  // "the host waits for each step", "... for the results of 2 of 6 steps", "the host does not wait for
  // results"
  std::string LoopText() const;
  // The steps that numbers are about: the complete ones; where none is complete, all with device work.
  std::vector<const Step*> Counted() const;
};

// One series per annotation name. The series with the most device work comes first, of equal ones the series
// with the most steps. Evaluations come last, and a block comes after the blocks inside it that hold its
// work. Without annotations, and where no device work belongs to any of them: the inferred series, if there
// is a period. Linear in the events.
std::vector<StepSeries> FindSteps(const Trace& trace, const std::vector<Device>& devices,
                                  const HostWorkItems& work);

}  // namespace gait::analyze
