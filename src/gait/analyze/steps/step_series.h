// Steps: which there are, and how long each took.
//
//   annotation   the host's StepTraceAnnotation (an event with step_num). In a loop that does not wait for
//                results it lasts a fraction of the step.
//   work         device work belongs to the step that launched it (work_owners.h)
//   finish       per device, the end of the step's last work. What is still running when a later step is done
//                (a long copy to the host, the work of another thread) runs beside the steps and ends none.
//   step         per device, [finish of the previous step, finish): the period at which the device finishes
//                steps. Work of another kind of steps between the two ends the previous one's time, on all
//                devices where it was done before its annotation ended. On a device that has nothing to do
//                in a step among others it takes the time until those are done that have, unless the device
//                begins the next one before. A step without any work takes no time.
//   waited       the host had the step's result before it went on: the step finished on every device before
//                its annotation ended (inferred: before the next one began), and the host made a call
//                meanwhile that waits for a result. A loop in which most steps did waits. Not every runtime
//                records such calls: it also counts that the host's thread stood still from the last launch
//                or whatever it did after it, for kMostLaunchDelay or longer, and did the next thing within
//                that time of the finish, or a tenth of the standstill, or a quarter up to 500 us. Not so
//                where most steps finished within kMostLaunchDelay of their last launch (a GPU's) or inside
//                the call that launched their last work (a CPU's, which may run a program on the calling
//                thread): there the host is the slower one, and only a call tells. Where most steps finished
//                before the host went on and nothing shows why it did not sooner, the host is late: it may
//                have waited, or not. Or it waited after the annotation: its thread made a call that waits
//                for a result, which came back when the step was done and before it launched for the next
//                one. For the last step that counts only where it was so for another one: every loop waits at
//                its end.
//
// The first step begins where work launched before it ended, but not before its annotation. Where there is
// none it begins with its annotation if the loop waits or the host is behind, or if it is the only step of
// its kind, which none before it held up; and what it lacks so is a tenth of it at most: the median of what
// the other steps have between the finish before and their annotation. Else nobody knows where it began.
//
// A step that is a capture block (steps.h) is the time from its begin, or the end of the one before where
// that is later, until it has ended and all work that was launched in it is done, on all devices that worked
// for it. It is whole by itself: nothing before or after it tells more. Nothing is inferred beside blocks.
//
// Identity: where there is one kind of steps, they tile a device's time from the first finish to the last
// without gap or overlap.
// Where there are no annotations, steps are inferred (step_inference.h) and marked so.
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
  // The device worked for it, or had nothing to do while others did, in between two steps that it worked for.
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
  // The steps that numbers are about: complete ones, all with device work where none is complete.
  std::vector<const Step*> Counted() const;
};

// One series per annotation name, the one with the most device work first, of those with as much the one with
// the most steps; evaluations come after what is none, a block after the blocks inside it that hold its work.
// Without annotations, and where no device work belongs
// to any, the inferred one, if there is a period. Linear in the events.
std::vector<StepSeries> FindSteps(const Trace& trace, const std::vector<Device>& devices,
                                  const HostWorkItems& work);

}  // namespace gait::analyze
