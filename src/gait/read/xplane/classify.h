// The kind of a plane or line, from its name.
#pragma once

#include <string_view>

#include "gait/trace/trace.h"

namespace gait::xplane {

// Sets kind and ordinal; the caller sets the other members.
Plane ClassifyPlane(std::string_view name, int64_t id);
TrackKind ClassifyLine(PlaneKind plane, std::string_view name);
Layout LayoutOf(TrackKind kind);

}  // namespace gait::xplane
