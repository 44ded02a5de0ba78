// What a plane or line is, from its name.
#pragma once

#include <string_view>

#include "gait/trace/trace.h"

namespace gait::xplane {

// Kind and ordinal; the other members are the caller's.
Plane ClassifyPlane(std::string_view name, int64_t id);
TrackKind ClassifyLine(PlaneKind plane, std::string_view name);
Layout LayoutOf(TrackKind kind);

}  // namespace gait::xplane
