// What recording cost the loop, estimated from what was recorded: for captures that know no steps without the
// profiler.
//
//   cost of a step = the sum over kinds of events: events a step on the loop's thread x cost of one event
//
// The costs are a range: they were measured by bench/recording_cost.py on an H200 and on the CPU of a small
// machine. Kernels inside CUDA graphs cost the device 1.3 to 2.5 us each as well. That time is in no number
// here: which gap or kernel holds it is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gait/analyze/view/run_view.h"
#include "gait/base/units.h"

namespace gait::analyze {

struct RecordingCost {
  double python = 0;   // calls of Python functions, a step
  double driver = 0;   // calls of the GPU's driver that launched something
  double runtime = 0;  // other events
  PsRange time{};      // of a step

  std::string Text() const;  // "512 Python calls, 100 driver calls, 299 other events a step"
};

// Of the host whose loop recorded most. nullopt: there are no steps, or no thread runs the loop. O(events of
// the threads).
std::optional<RecordingCost> EstimateRecordingCost(const RunView& view);

}  // namespace gait::analyze
