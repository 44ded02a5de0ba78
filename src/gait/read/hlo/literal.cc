#include "gait/read/hlo/literal.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace gait::hlo {
namespace {

// The field of LiteralProto that holds values of a type; 0 for types that are not shown.
uint32_t FieldOf(ElementType type) {
  switch (type) {
    case ElementType::kPred:
      return 2;
    case ElementType::kU8:
      return 3;
    case ElementType::kS32:
      return 4;
    case ElementType::kS64:
      return 5;
    case ElementType::kU32:
      return 6;
    case ElementType::kU64:
      return 7;
    case ElementType::kF32:
      return 8;
    case ElementType::kF64:
      return 9;
    case ElementType::kF16:
      return 11;
    case ElementType::kBf16:
      return 13;
    case ElementType::kS8:
      return 15;
    case ElementType::kU16:
      return 16;
    case ElementType::kS16:
      return 17;
    default:
      return 0;
  }
}

bool StoredAsVarints(ElementType type) {
  return type == ElementType::kPred || type == ElementType::kS32 || type == ElementType::kS64 ||
         type == ElementType::kU32 || type == ElementType::kU64;
}

// The bits of the one value. Varints are packed or not; everything else is little-endian bytes.
std::optional<uint64_t> Bits(const Fields& field, ElementType type) {
  if (StoredAsVarints(type)) {
    std::vector<int64_t> values;
    field.AppendInts(values);
    return values.empty() ? std::nullopt : std::optional(static_cast<uint64_t>(values[0]));
  }
  if (!field.is_bytes()) return static_cast<uint64_t>(field.Int());
  const std::string_view bytes = field.Bytes();
  const auto width = static_cast<size_t>(BitWidth(type)) / 8;
  if (bytes.size() < width) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), width);
  return bits;
}

double Half(uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : NAN;
  return (bits & 0x8000) != 0 ? -value : value;
}

std::string Format(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::kPred:
      return bits != 0 ? "true" : "false";
    case ElementType::kF64:
      return fmt::format("{}", std::bit_cast<double>(bits));
    case ElementType::kF32:
      return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case ElementType::kBf16:
      return fmt::format("{:.4g}", std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
    case ElementType::kF16:
      return fmt::format("{:.5g}", Half(bits));
    case ElementType::kS8:
      return fmt::format("{}", static_cast<int>(static_cast<int8_t>(bits)));
    case ElementType::kS16:
      return fmt::format("{}", static_cast<int16_t>(bits));
    case ElementType::kS32:
      return fmt::format("{}", static_cast<int32_t>(bits));
    case ElementType::kS64:
      return fmt::format("{}", static_cast<int64_t>(bits));
    default:
      return fmt::format("{}", bits);
  }
}

}  // namespace

std::string ScalarText(std::string_view literal_proto, const Shape& shape, WireLosses& losses) {
  const uint32_t wanted = FieldOf(shape.type);
  if (wanted == 0 || !shape.dimensions.empty()) return {};
  Fields fields(literal_proto, losses);
  while (fields.Next()) {
    if (fields.number() != wanted) continue;
    const auto bits = Bits(fields, shape.type);
    return bits ? Format(shape.type, *bits) : std::string();
  }
  return {};
}

}  // namespace gait::hlo
