// Which step launched each piece of a device's work. The exceptions, with an example of each, stand in
// docs/metrics/step_time.md, "Which step work belongs to".
//
//   step      the last annotation that had begun when the host made the launch. A thread with annotations
//             goes by its own, other threads (a pool's) go by the annotations of all threads.
//   before    launched before the first annotation, or work without a call that began before all work with
//             one
//   between   launched after the step's annotation, when an annotation of another name had begun
//   outside   launched after the step's annotation, beyond the usual number of launches (the median of the
//             thread's steps). If this work is less than a tenth of a step's on every device, and another
//             step follows, the work is of kind kOther: it ends no step.
#pragma once

#include <cstdint>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/steps/step_marks.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct WorkOwner {
  enum class Kind : uint8_t {
    kStep,     // of `step`
    kBetween,  // after `step`, of a step of another kind
    kOutside,  // after `step`, of no step
    kBefore,   // before the first
    kOther,    // not of these steps: another thread's, or nobody knows
  };
  uint32_t step = 0;
  Kind kind = Kind::kOther;

  friend bool operator==(const WorkOwner&, const WorkOwner&) = default;
};

class WorkOwners {
 public:
  // `steps` are of one kind, in order of begin; `others` are the annotations of all other kinds. The trace
  // and both lists must outlive this object.
  WorkOwners(const Trace& trace, const std::vector<StepMark>& steps, const std::vector<StepMark>& others);

  // The owner of each piece of work, by device. Linear in the work, O(log steps) per launch.
  std::vector<std::vector<WorkOwner>> Of(const HostWorkItems& work) const;

 private:
  // What the launches of a thread go by.
  struct Lane {
    std::vector<uint32_t> steps{};
    std::vector<Ps> others{};  // when they began, in order
  };

  size_t LaneOf(TrackId thread);  // made where there is none
  WorkOwner OwnerOf(const Lane& lane, Ps launch) const;
  Ps LaunchOf(const WorkItem& item) const { return trace_.track(item.call.track).begin(item.call.index); }
  // Whether another thread launched the work for a block. The runtime's pool may do so after the block has
  // ended.
  bool ByAnotherThread(const WorkItem& item, uint32_t step) const {
    return steps_[step].block && item.call.track != steps_[step].thread;
  }
  // The owner of each piece of a device's work, without a look at how many launches a step usually has. Adds
  // the first piece of each call to `first_of_calls`.
  std::vector<WorkOwner> Launched(const std::vector<WorkItem>& work,
                                  std::vector<size_t>& first_of_calls) const;
  // By step: the time from which launches are outside of the step.
  std::vector<Ps> EndOfLaunches(const std::vector<WorkItem>& work, const std::vector<WorkOwner>& owners,
                                const std::vector<size_t>& first_of_calls) const;
  // By step: whether there is little work behind the end of its launches.
  std::vector<bool> LittleBehind(const std::vector<WorkItem>& work, const std::vector<WorkOwner>& owners,
                                 const std::vector<Ps>& ends) const;

  const Trace& trace_;
  const std::vector<StepMark>& steps_;
  std::vector<Lane> lanes_;        // the first: of threads without annotations
  std::vector<uint32_t> lane_of_;  // by thread
};

}  // namespace gait::analyze
