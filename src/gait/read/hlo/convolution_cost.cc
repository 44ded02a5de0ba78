#include "gait/read/hlo/convolution_cost.h"

#include <cstdlib>
#include <numeric>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

std::optional<int64_t> Size(const Shape& shape, int64_t dimension) {
  if (dimension < 0 || static_cast<size_t>(dimension) >= shape.dimensions.size()) return std::nullopt;
  const int64_t size = shape.dimensions[static_cast<size_t>(dimension)];
  return size >= 0 && size <= limits::kMaxDimension ? std::optional(size) : std::nullopt;
}

// Sums of three of these do not overflow.
bool Sane(const WindowDimension& w) {
  return w.size >= 0 && w.stride <= limits::kMaxWindowNumber &&
         w.window_dilation <= limits::kMaxWindowNumber && w.base_dilation <= limits::kMaxWindowNumber &&
         w.size <= limits::kMaxWindowNumber && std::abs(w.padding_low) <= limits::kMaxDimension;
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

// Pairs (o, k), 0 <= o < output, 0 <= k < window size, for which o * stride + k * window_dilation -
// padding_low is a position of the input: inside [0, (input - 1) * base_dilation] and a multiple of
// base_dilation. For each k the fitting o form a range of every `period`-th number, so they are counted
// without being visited.
std::optional<double> CountPairs(const WindowDimension& w, int64_t input, int64_t output) {
  if (!Sane(w)) return std::nullopt;
  if (input == 0 || output == 0) return 0;
  const int64_t period = w.base_dilation / std::gcd(w.stride, w.base_dilation);
  if (w.size > limits::kMaxWindowSteps / period) return std::nullopt;
  const int64_t last_input = (input - 1) * w.base_dilation;
  double pairs = 0;
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t shift = k * w.window_dilation - w.padding_low;
    const int64_t first = std::max<int64_t>(0, -FloorDivide(shift, w.stride));
    const int64_t last = std::min(output - 1, FloorDivide(last_input - shift, w.stride));
    for (int64_t o = first; o < first + period && o <= last; ++o) {
      if ((o * w.stride + shift) % w.base_dilation != 0) continue;
      const int64_t positions = (last - o) / period + 1;
      pairs += static_cast<double>(positions);
      break;
    }
  }
  return pairs;
}

}  // namespace

std::optional<double> ConvolutionFlops(const ConvolutionDimensions& dimensions,
                                       std::span<const WindowDimension> window, const Shape& input,
                                       const Shape& kernel, const Shape& output) {
  const auto batch = Size(input, dimensions.input_batch);
  const auto features = Size(input, dimensions.input_feature);
  const auto output_features = Size(kernel, dimensions.kernel_output_feature);
  const size_t rank = dimensions.input_spatial.size();
  if (!batch || !features || !output_features || dimensions.output_spatial.size() != rank ||
      window.size() != rank) {
    return std::nullopt;
  }
  double flops = MultiplyAddFlops(input.type) * static_cast<double>(*batch) /
                 static_cast<double>(dimensions.batch_groups) *
                 (static_cast<double>(*features) / static_cast<double>(dimensions.feature_groups)) *
                 static_cast<double>(*output_features);
  for (size_t i = 0; i < rank; ++i) {
    const auto from = Size(input, dimensions.input_spatial[i]);
    const auto to = Size(output, dimensions.output_spatial[i]);
    if (!from || !to) return std::nullopt;
    const auto pairs = CountPairs(window[i], *from, *to);
    if (!pairs) return std::nullopt;
    flops *= *pairs;
  }
  return flops;
}

}  // namespace gait::hlo
