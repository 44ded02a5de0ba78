// ShapeReader: reads ShapeProto messages into interned shapes of one program.
#pragma once

#include <string_view>
#include <unordered_map>

#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// Equal bytes give the same id without a second decoding: programs repeat few shapes, and XLA serializes
// equal shapes to equal bytes. Keeps views of the bytes, which must outlive the reader.
class ShapeReader {
 public:
  ShapeReader(Program& program, WireLosses& losses) : program_(program), losses_(losses) {}

  ShapeId Read(std::string_view shape_proto) { return Read(shape_proto, 0); }

 private:
  ShapeId Read(std::string_view shape_proto, int depth);
  Shape Decode(std::string_view shape_proto, int depth);
  void DecodeLayout(std::string_view layout_proto, Shape& shape);

  Program& program_;
  WireLosses& losses_;
  std::unordered_map<std::string_view, ShapeId> by_bytes_;
};

}  // namespace gait::hlo
