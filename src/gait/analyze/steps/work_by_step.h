// What a device did for each step of a series, and between the steps.
//
// What one call asked for, all kernels of a graph say, counts as one stretch from its first begin to its last
// end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/steps/step_marks.h"
#include "gait/analyze/steps/work_owners.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// What one device did after a step and before it worked for the next one.
struct WorkAfterStep {
  Ps begun = kMaxTime;         // kMaxTime: it did nothing
  Ps done = -kMaxTime;         // -kMaxTime: it did nothing
  bool outside = false;        // some of it is of no step
  bool outside_first = false;  // what began first is
  // Where work of no step goes on after the last pause that is longer than all of it: the loop stood still,
  // and not for this work. nullopt: there is no such pause.
  std::optional<Ps> outside_after_pause{};
  bool other_kind = false;         // some of it is of a step of another kind
  Ps other_kind_done = -kMaxTime;  // the end of what of it was done before the thread began its next step
};

// What one device did for a step.
struct WorkOfStep {
  uint64_t events = 0;         // pieces of work
  Ps begun = kMaxTime;         // kMaxTime: it did nothing
  Ps done = -kMaxTime;         // -kMaxTime: it did nothing
  Ps first_launch = kMaxTime;  // the begin of the first launch; kMaxTime: none is known
  Ps last_launch = -kMaxTime;  // the end of the last launch of a GPU's work, or of a call inside which it ran
  WorkAfterStep after{};
};

struct DeviceStepWork {
  std::vector<WorkOfStep> steps{};
  std::optional<Ps> before_done{};  // the end of work that was launched before the first annotation
  Ps busy{};                        // for steps
  Ps outside{};                     // busy with what was launched between the steps and is no step's
  bool inside_calls = false;        // some work for steps ran inside the call that launched it

  bool works() const;  // for any step
};

// What beside the owners decides how work counts.
struct StepNeighbours {
  std::vector<Ps> next{};  // by step: when its thread begins the next one (NextBegins)
  bool none = false;       // no kinds of steps are beside these: what comes between two is of no step
};

// By mark: when its thread begins the next one; kMaxTime: never.
std::vector<Ps> NextBegins(const std::vector<StepMark>& marks);

// `owners` are those of the device's work. Linear in the work.
DeviceStepWork WorkByStep(const Trace& trace, const std::vector<WorkItem>& work,
                          const std::vector<WorkOwner>& owners, const StepNeighbours& neighbours);

}  // namespace gait::analyze
