// Which step launched each piece of a device's work.
//
//   thread    A launch of a thread with annotations is a matter of that thread's alone. Launches of other
//             threads (a pool's) go by all annotations.
//   step      the last one that had begun there when the host made the launch, unless one of another name
//             began after it had ended
//   before    launched before the first one, or before the capture: on each device work without a call that
//             began before all work with one
//   between   launched by annotations of another name, after the step's annotation had ended
//   outside   launched after the step's annotation had ended, and more than steps usually launch. What a
//             thread launches between two annotations belongs to the first of them, but only up to the usual
//             number of launches of its steps (the median), inside and outside, or outside alone where that
//             is more. The rest, an evaluation after the loop or after an epoch say, is no step's, unless it
//             is little and another step follows: less than a tenth of a step's work (the median). Then it is
//             no step's either, but ends none: a metric that is read after a checkpoint must not take the
//             time of the checkpoint out of the steps. Little on every device: what ends a step does so on
//             all. What the thread of a capture block launches after the block is never its own.
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
  // The steps of one kind in order of begin, and the annotations of all other kinds. All must outlive this.
  WorkOwners(const Trace& trace, const std::vector<StepMark>& steps, const std::vector<StepMark>& others);

  // By device and piece of its work. Linear in the work, O(log steps) per launch.
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
  // For a block, which other threads may launch for after it has ended: the runtime's pool.
  bool ByAnotherThread(const WorkItem& item, uint32_t step) const {
    return steps_[step].block && item.call.track != steps_[step].thread;
  }
  // By piece of a device's work, whatever its step launched before; and which are the first of their calls.
  std::vector<WorkOwner> Launched(const std::vector<WorkItem>& work,
                                  std::vector<size_t>& first_of_calls) const;
  // By step: from when on launches are outside of it.
  std::vector<Ps> EndOfLaunches(const std::vector<WorkItem>& work, const std::vector<WorkOwner>& owners,
                                const std::vector<size_t>& first_of_calls) const;
  // By step: whether there is little work behind its end of launches.
  std::vector<bool> LittleBehind(const std::vector<WorkItem>& work, const std::vector<WorkOwner>& owners,
                                 const std::vector<Ps>& ends) const;

  const Trace& trace_;
  const std::vector<StepMark>& steps_;
  std::vector<Lane> lanes_;        // the first: of threads without annotations
  std::vector<uint32_t> lane_of_;  // by thread
};

}  // namespace gait::analyze
