// The copies of a host's devices, one by one: copies and memsets on GPU streams, copies of a TPU program
// between memories (from copy-start to copy-done), and the transfers that a TPU's host runtime reports.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/question/transfers/copy_details.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct Copy {
  CopyKind kind = CopyKind::kUnknown;
  std::optional<int64_t> bytes;
  MemoryKind host_memory = MemoryKind::kUnknown;
  Interval time;
  EventRef event;                // of the device, or of the host where only it tells
  std::optional<size_t> device;  // of the view; none: the host's event does not say which
  std::optional<EventRef> call;  // of the host
  InstructionRef instruction;    // of a copy inside a program
  bool in_program = false;
  bool counts = false;  // a part of it lies in the view's windows
};

// All copies of the view's devices in order of time, also copies outside the windows: finding the call that
// asked for a copy may need the copy's neighbours. Linear in the events.
std::vector<Copy> FindCopies(const HostView& host);

}  // namespace gait::analyze
