// Step annotations: StepTraceAnnotation("train", step_num=7) writes a host event with the argument step_num.
//
// gait writes an event with the argument gait_block for each entry of a capture block (`with
// gait.trace(...)`, a decorated function): its name is the block's, its number counts the entries. A block is
// a step itself, unless an annotated step overlaps the block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/vocabulary/step_arguments.h"
#include "gait/base/intervals.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// Where the host says that a step is.
struct StepMark {
  int64_t number;
  Interval host;
  TrackId thread{};  // invalid: of no thread in particular
  bool partial = false;
  bool block = false;  // the entry of a capture block, not an annotation
};

// By name, in order of begin: annotations, and the blocks that are steps. `unnumbered` counts annotations
// whose step_num is no integer.
std::map<std::string, std::vector<StepMark>> FindStepMarks(const Trace& trace,
                                                           uint64_t* unnumbered = nullptr);

// All annotations of one name.
struct AnnotatedSteps {
  std::string name;
  uint64_t count = 0;
  int64_t first = 0;  // smallest and largest number
  int64_t last = 0;
  bool blocks = false;  // entries of a capture block
  Ps median;            // of the annotations' durations on the host
};

// In the order of first appearance. Linear in the events of host threads; looks at each argument set once.
std::vector<AnnotatedSteps> FindAnnotatedSteps(const Trace& trace, uint64_t* unnumbered = nullptr);

}  // namespace gait::analyze
