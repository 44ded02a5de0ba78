// The links of a slice: its causes and effects by the flows of the capture, the executions of a collective on
// other devices, the work that ended an idle time, the step of the slice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/timeline/book.h"
#include "gait/timeline/search.h"
#include "gait/trace/flows.h"

namespace gait::timeline {

struct Links {
  std::vector<SliceRef> causes;
  std::vector<SliceRef> effects;
  std::optional<SliceRef> parent;  // the slice around it
  std::optional<SliceRef> before;  // in its lane
  std::optional<SliceRef> after;
};

// `flows` gives the index of a host.
Links FindLinks(const Book& book, const analyze::RunView& view, SliceRef slice,
                const std::function<const FlowIndex&(size_t host)>& flows);

// The number of the step of the first series in which the slice begins, on its device or host.
std::optional<int64_t> StepOf(const Book& book, const Timeline& timeline, const analyze::RunView& view,
                              SliceRef slice);

}  // namespace gait::timeline
