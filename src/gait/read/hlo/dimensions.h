// Small messages that say how an instruction treats the dimensions of its operands.
#pragma once

#include <string>
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

// The same words as in program text: "padding=1_1x0_2", "offset_dims={1}, collapsed_slice_dims={0}, ...,
// index_vector_dim=1".
std::string PaddingText(std::string_view bytes, WireLosses& losses);  // PaddingConfig
std::string GatherText(std::string_view bytes, WireLosses& losses);   // GatherDimensionNumbers
std::string ScatterText(std::string_view bytes, WireLosses& losses);  // ScatterDimensionNumbers

}  // namespace gait::hlo
