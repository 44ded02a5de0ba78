// The value of a scalar constant as text.
#pragma once

#include <string>
#include <string_view>

#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// "1", "-0.5", "true", "inf"; empty for arrays, tuples and element types without a plain notation. The
// message is a LiteralProto; `shape` is the instruction's.
std::string ScalarText(std::string_view literal_proto, const Shape& shape, WireLosses& losses);

}  // namespace gait::hlo
