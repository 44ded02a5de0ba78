#include "gait/read/hlo/dimensions.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gait::hlo {
namespace {

// The field of the index vector's dimension, behind three lists and before two.
constexpr size_t kIndexVector = 4;

// Dimension numbers of gather and scatter: the same fields under other names. Batching dimensions are seldom
// there.
std::string IndexingText(std::string_view bytes, const std::array<std::string_view, 5>& names,
                         WireLosses& losses) {
  std::array<std::vector<int64_t>, 5> lists;
  int64_t index_vector = 0;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    const size_t number = fields.number();
    if (number == kIndexVector) {
      index_vector = fields.Int();
    } else if (number >= 1 && number <= lists.size() + 1) {
      fields.AppendInts(lists[number < kIndexVector ? number - 1 : number - 2]);
    }
  }
  std::string text;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i >= kIndexVector - 1 && lists[i].empty()) continue;
    text += fmt::format("{}={{{}}}, ", names[i], fmt::join(lists[i], ","));
  }
  return text + fmt::format("index_vector_dim={}", index_vector);
}

}  // namespace

std::string GatherText(std::string_view bytes, WireLosses& losses) {
  return IndexingText(bytes,
                      {"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
                       "start_indices_batching_dims"},
                      losses);
}

std::string ScatterText(std::string_view bytes, WireLosses& losses) {
  return IndexingText(bytes,
                      {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                       "input_batching_dims", "scatter_indices_batching_dims"},
                      losses);
}

std::string PaddingText(std::string_view bytes, WireLosses& losses) {
  std::vector<std::array<int64_t, 3>> edges;  // low, high, interior
  bool interior = false;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    std::array<int64_t, 3>& edge = edges.emplace_back();
    Fields one(fields.Bytes(), losses);
    while (one.Next()) {
      if (one.number() >= 1 && one.number() <= edge.size()) edge[one.number() - 1] = one.Int();
    }
    interior |= edge[2] != 0;
  }
  std::string text = "padding=";
  for (const auto& edge : edges) {
    if (!text.ends_with('=')) text += 'x';
    text += fmt::format("{}", fmt::join(edge.begin(), edge.end() - (interior ? 0 : 1), "_"));
  }
  return text;
}

DotDimensions ReadDot(std::string_view bytes, WireLosses& losses) {
  DotDimensions dot;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) fields.AppendInts(dot.lhs_contracting);
    if (fields.number() == 2) fields.AppendInts(dot.rhs_contracting);
    if (fields.number() == 3) fields.AppendInts(dot.lhs_batch);
    if (fields.number() == 4) fields.AppendInts(dot.rhs_batch);
  }
  return dot;
}

DotDimensions ReadRaggedDot(std::string_view bytes, WireLosses& losses) {
  DotDimensions dot;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) dot = ReadDot(fields.Bytes(), losses);
  }
  return dot;
}

ConvolutionDimensions ReadConvolution(std::string_view bytes, WireLosses& losses) {
  ConvolutionDimensions c;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    switch (fields.number()) {
      case 3:
        c.kernel_input_feature = fields.Int();
        break;
      case 4:
        c.kernel_output_feature = fields.Int();
        break;
      case 6:
        fields.AppendInts(c.kernel_spatial);
        break;
      case 7:
        c.input_batch = fields.Int();
        break;
      case 8:
        c.input_feature = fields.Int();
        break;
      case 9:
        c.output_batch = fields.Int();
        break;
      case 10:
        c.output_feature = fields.Int();
        break;
      case 11:
        fields.AppendInts(c.input_spatial);
        break;
      case 12:
        fields.AppendInts(c.output_spatial);
        break;
      default:
        break;
    }
  }
  return c;
}

std::vector<WindowDimension> ReadWindow(std::string_view bytes, WireLosses& losses) {
  std::vector<WindowDimension> window;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    // proto3 leaves out what is 0; strides and dilations below 1 mean nothing and count as 1.
    WindowDimension d{.size = 0, .stride = 0, .window_dilation = 0, .base_dilation = 0};
    Fields one(fields.Bytes(), losses);
    while (one.Next()) {
      if (one.number() == 1) d.size = one.Int();
      if (one.number() == 2) d.stride = one.Int();
      if (one.number() == 3) d.padding_low = one.Int();
      if (one.number() == 4) d.padding_high = one.Int();
      if (one.number() == 5) d.window_dilation = one.Int();
      if (one.number() == 6) d.base_dilation = one.Int();
      if (one.number() == 7) d.reversed = one.Int() != 0;
    }
    for (int64_t* factor : {&d.stride, &d.window_dilation, &d.base_dilation})
      *factor = *factor < 1 ? 1 : *factor;
    window.push_back(d);
  }
  return window;
}

SliceRange ReadSlice(std::string_view bytes, WireLosses& losses) {
  SliceRange slice{.start = 0, .limit = 0, .stride = 1};
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) slice.start = fields.Int();
    if (fields.number() == 2) slice.limit = fields.Int();
    if (fields.number() == 3) slice.stride = fields.Int();
  }
  return slice;
}

}  // namespace gait::hlo
