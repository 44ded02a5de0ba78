#include "gait/read/hlo/backend_config.h"

#include <simdjson.h>

#include <charconv>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

using simdjson::dom::element;

// The member of an object; nullopt when there is none or it is not an object.
std::optional<element> Member(element object, std::string_view name) {
  element found;
  if (!object.is_object() || object[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

// protobuf writes 64-bit integers as strings in JSON, and other writers do not.
std::optional<int64_t> Integer(element value) {
  int64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

// A list of integers; nullopt when it is not one, or one of them is not an integer.
std::optional<std::vector<int64_t>> Integers(std::optional<element> list) {
  std::vector<int64_t> out;
  if (!list) return out;  // protobuf leaves out empty lists
  simdjson::dom::array values;
  if (list->get(values) != simdjson::SUCCESS) return std::nullopt;
  for (const element value : values) {
    const auto number = Integer(value);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

std::optional<DotDimensions> Dot(element numbers) {
  const auto lhs_contracting = Integers(Member(numbers, "lhs_contracting_dimensions"));
  const auto rhs_contracting = Integers(Member(numbers, "rhs_contracting_dimensions"));
  const auto lhs_batch = Integers(Member(numbers, "lhs_batch_dimensions"));
  const auto rhs_batch = Integers(Member(numbers, "rhs_batch_dimensions"));
  if (!lhs_contracting || !rhs_contracting || !lhs_batch || !rhs_batch) return std::nullopt;
  return DotDimensions{*lhs_contracting, *rhs_contracting, *lhs_batch, *rhs_batch};
}

void ReadGemm(element gemm, BackendConfig& config) {
  if (const auto numbers = Member(gemm, "dot_dimension_numbers")) config.dot = Dot(*numbers);
  if (const auto epilogue = Member(gemm, "epilogue")) {
    std::string_view text;
    if (epilogue->get(text) == simdjson::SUCCESS) config.epilogue = text;
  }
  if (const auto beta = Member(gemm, "beta")) {
    double number = 0;
    if (beta->get(number) == simdjson::SUCCESS) config.beta = number;
  }
}

}  // namespace

struct BackendConfigParser::Impl {
  simdjson::dom::parser parser{limits::kMaxBackendConfigBytes};
};

BackendConfigParser::BackendConfigParser() : impl_(std::make_unique<Impl>()) {}
BackendConfigParser::~BackendConfigParser() = default;

BackendConfig BackendConfigParser::Parse(std::string_view text) {
  BackendConfig config;
  if (text.empty() || text.front() != '{' || text.size() > limits::kMaxBackendConfigBytes) return config;
  simdjson::dom::parser& parser = impl_->parser;
  // allocate() also sets the depth; capacity grows to the longest text so far.
  if (parser.capacity() < text.size() &&
      parser.allocate(text.size(), limits::kMaxJsonDepth) != simdjson::SUCCESS) {
    return config;
  }
  element root;
  if (parser.parse(text.data(), text.size(), true).get(root) != simdjson::SUCCESS) return config;

  if (const auto known = Member(root, "known_trip_count")) {
    if (const auto n = Member(*known, "n")) config.trip_count = Integer(*n);
  }
  // Old compilers wrote the configuration of a GEMM without a wrapper.
  ReadGemm(Member(root, "gemm_backend_config").value_or(root), config);
  if (const auto attention = Member(root, "cudnn_fmha_backend_config")) {
    if (const auto shape = Member(*attention, "intermediate_tensor_shape")) {
      config.scores = Integers(Member(*shape, "dimensions")).value_or(std::vector<int64_t>());
    }
  }
  if (const auto kernel = Member(root, "custom_call_config")) {
    if (const auto estimate = Member(*kernel, "cost_estimate")) {
      if (const auto flops = Member(*estimate, "flops")) {
        if (const auto number = Integer(*flops)) config.stated_flops = static_cast<double>(*number);
      }
    }
  }
  return config;
}

}  // namespace gait::hlo
