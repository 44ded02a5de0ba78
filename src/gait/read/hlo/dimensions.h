// Small messages that say how an instruction treats the dimensions of its operands.
#pragma once

#include <string_view>
#include <vector>

#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

DotDimensions ReadDot(std::string_view bytes, WireLosses& losses);        // DotDimensionNumbers
DotDimensions ReadRaggedDot(std::string_view bytes, WireLosses& losses);  // RaggedDotDimensionNumbers
ConvolutionDimensions ReadConvolution(std::string_view bytes, WireLosses& losses);
std::vector<WindowDimension> ReadWindow(std::string_view bytes, WireLosses& losses);
SliceRange ReadSlice(std::string_view bytes, WireLosses& losses);

}  // namespace gait::hlo
