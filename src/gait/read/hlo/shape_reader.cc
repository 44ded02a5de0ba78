#include "gait/read/hlo/shape_reader.h"

#include <algorithm>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

// xla_data.proto, ShapeProto, LayoutProto and TileProto.
enum ShapeField : uint32_t {
  kElementType = 2,
  kShapeDimensions = 3,
  kTupleShapes = 4,
  kLayout = 5,
  kIsDynamic = 6
};
enum LayoutField : uint32_t { kMinorToMajor = 1, kTiles = 6, kElementSizeInBits = 7, kMemorySpace = 8 };
constexpr uint32_t kTileDimensions = 1;

}  // namespace

ShapeId ShapeReader::Read(std::string_view shape_proto, int depth) {
  const auto known = by_bytes_.find(shape_proto);
  if (known != by_bytes_.end()) return known->second;
  Shape shape = Decode(shape_proto, depth);
  const ShapeId id(program_.shapes.size());
  program_.shapes.push_back(std::move(shape));
  by_bytes_.emplace(shape_proto, id);
  return id;
}

Shape ShapeReader::Decode(std::string_view shape_proto, int depth) {
  Shape shape;
  std::vector<int64_t> dynamic;
  Fields fields(shape_proto, losses_);
  while (fields.Next()) {
    switch (fields.number()) {
      case kElementType: {
        const int64_t type = fields.Int();
        shape.type = type >= 0 && type <= 255 ? static_cast<ElementType>(type) : ElementType::kInvalid;
        break;
      }
      case kShapeDimensions:
        fields.AppendInts(shape.dimensions);
        break;
      case kTupleShapes:
        if (depth >= limits::kMaxShapeDepth) {
          losses_.Capped("tuple shapes nested too deep");
        } else {
          shape.elements.push_back(Read(fields.Bytes(), depth + 1));
        }
        break;
      case kLayout:
        DecodeLayout(fields.Bytes(), shape);
        break;
      case kIsDynamic:
        fields.AppendInts(dynamic);
        break;
      default:
        break;
    }
  }
  if (shape.dimensions.size() > limits::kMaxShapeDimensions) {
    losses_.Capped("shapes with too many dimensions");
    shape.type = ElementType::kInvalid;
    shape.dimensions.clear();
  }
  for (size_t i = 0; i < std::min(dynamic.size(), limits::kMaxShapeDimensions); ++i) {
    if (dynamic[i] != 0) shape.dynamic |= uint64_t{1} << i;
  }
  return shape;
}

void ShapeReader::DecodeLayout(std::string_view layout_proto, Shape& shape) {
  Fields fields(layout_proto, losses_);
  while (fields.Next()) {
    switch (fields.number()) {
      case kMinorToMajor:
        fields.AppendInts(shape.minor_to_major);
        break;
      case kTiles: {
        auto& tile = shape.tiles.emplace_back();
        Fields tile_fields(fields.Bytes(), losses_);
        while (tile_fields.Next()) {
          if (tile_fields.number() == kTileDimensions) tile_fields.AppendInts(tile);
        }
        break;
      }
      case kElementSizeInBits: {
        const int64_t bits = fields.Int();
        shape.element_bits = bits > 0 && bits <= 128 ? static_cast<int>(bits) : 0;
        break;
      }
      case kMemorySpace:
        shape.memory_space = static_cast<int>(fields.Int());
        break;
      default:
        break;
    }
  }
}

}  // namespace gait::hlo
