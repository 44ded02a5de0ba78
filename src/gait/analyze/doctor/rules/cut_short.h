// Whether a file of the capture ends before its end: what is missing may be anything.
#pragma once

#include <algorithm>

#include "gait/analyze/doctor/patient.h"

namespace gait::analyze {

inline bool IsCutShort(const Patient& patient) {
  return std::ranges::any_of(patient.view->hosts, [](const HostView& host) {
    return std::ranges::any_of(host.trace().losses(),
                               [](const Loss& loss) { return loss.kind == LossKind::kTruncated; });
  });
}

}  // namespace gait::analyze
