// What kind of work a device event is: compute, communication between devices, a copy, or unknown.
//
// The HLO opcode of the event's instruction decides; for copies and memsets, the activity; for events without
// an instruction, the table of kernel names (category.h). A kernel without a known name is compute if it
// belongs to a program, else unknown: redzone checks, delays of the autotuner and other people's kernels are
// not a step's compute by default. A loop, branch or call is control flow: its event lies around those of its
// body, which say what really runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

// In the order of ownership: where several classes run at one instant, the first one owns it.
enum class WorkClass : uint8_t { kCompute, kCommunication, kCopy, kUnknown, kControl };
inline constexpr size_t kWorkClasses = 5;
std::string_view Name(WorkClass work);  // "compute", "communication", "copy", "unknown", "control flow"

// By opcode; collectives and sends between devices are communication, copies between memories are copies.
WorkClass ClassOfOpcode(std::string_view opcode);
// By the event's name alone.
WorkClass ClassOfKernel(std::string_view name);

// Classifies the events of one trace. O(argument sets + names) to make, O(1) per event, thread-safe.
class WorkClasses {
 public:
  explicit WorkClasses(const Trace& trace);

  WorkClass operator()(const Track& track, EventIndex event) const {
    const WorkClass by_name = by_name_[track.name(event).value];
    if (by_name == WorkClass::kCommunication || by_name == WorkClass::kCopy) return by_name;
    const WorkClass by_set = by_set_[track.args(event).value];
    if (by_set == WorkClass::kUnknown) return by_name;
    // On a stream the kernels of a loop's condition are plain work: nothing lies inside them.
    return by_set == WorkClass::kControl && track.info().kind == TrackKind::kStream ? WorkClass::kCompute
                                                                                    : by_set;
  }

 private:
  std::vector<WorkClass> by_set_;
  std::vector<WorkClass> by_name_;
};

}  // namespace gait::analyze
