// The flops of one multiply-add, and of a convolution.
#pragma once

#include <optional>
#include <span>

#include "gait/trace/program.h"

namespace gait::hlo {

// (a + bi)(c + di) and its addition are four multiplications and four additions.
inline double MultiplyAddFlops(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128 ? 8 : 2;
}

// 2 flops (complex: 8) for every multiplication with a real element of the input: positions of the window in
// the padding or in the holes of a dilated input do not count. With B the batch, I and O the features of
// input and output, and V_d the pairs of (output position, window position) in dimension d that meet the
// input:
//   2 * (B / batch_groups) * (I / feature_groups) * O * V_1 * V_2 * ...
// nullopt when the shapes do not fit together, or when counting a window would take more than
// limits::kMaxWindowSteps.
std::optional<double> ConvolutionFlops(const ConvolutionDimensions& dimensions,
                                       std::span<const WindowDimension> window, const Shape& input,
                                       const Shape& kernel, const Shape& output);

}  // namespace gait::hlo
