// The format XPlane, for read/registry.
#pragma once

#include "gait/read/format/format.h"
#include "gait/read/xplane/peek.h"
#include "gait/read/xplane/reader.h"

namespace gait::xplane {

inline constexpr read::Format kFormat = {"XPlane", ".xplane.pb", &Peek, &ReadFile};

}  // namespace gait::xplane
