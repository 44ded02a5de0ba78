// How long each step lasted on the host: from where it turned to the step until it turned to what came next.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/steps/step_marks.h"
#include "gait/analyze/steps/work_by_step.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

// How steps of other kinds lie between those of a series.
struct OtherKinds {
  bool around = false;           // the first step's thread began such before it and after it
  std::vector<bool> followed{};  // by step: its thread launched for one of another kind next
  // By step: the end of the annotation of another kind that comes right before it; nullopt: there is none.
  std::vector<std::optional<Ps>> before{};
};

// `others` are the annotations of all other kinds, `work` is by device.
OtherKinds FindOtherKinds(const std::vector<StepMark>& marks, const std::vector<StepMark>& others,
                          const std::vector<DeviceStepWork>& work);

struct HostPeriod {
  Interval time;      // Step::host_step
  bool alone = true;  // Step::alone
};

// By step. Entries of a capture block are whole by themselves.
std::vector<HostPeriod> HostPeriods(const std::vector<StepMark>& marks, const std::vector<Ps>& next,
                                    const OtherKinds& kinds);

}  // namespace gait::analyze
