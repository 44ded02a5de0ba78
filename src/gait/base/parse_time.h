// Times that people type.
#pragma once

#include <string_view>

#include "gait/base/result.h"
#include "gait/base/units.h"

namespace gait {

// "1.5ms", "300us" (or µs), "2s", "40ns", "7ps", "-3 ms"; a plain number is milliseconds. A usage error
// otherwise.
Result<Ps> ParseTime(std::string_view text);

}  // namespace gait
