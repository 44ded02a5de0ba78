// Builds HloProto bytes for tests, field by field, with protozero's writer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/trace/program.h"

namespace gait::hlo {

// A message under construction; methods chain.
class Proto {
 public:
  Proto& Int(uint32_t field, int64_t value) {
    protozero::pbf_writer(bytes_).add_int64(field, value);
    return *this;
  }
  Proto& Text(uint32_t field, std::string_view text) {
    protozero::pbf_writer(bytes_).add_string(field, text.data(), text.size());
    return *this;
  }
  Proto& Add(uint32_t field, const Proto& message) { return Text(field, message.bytes()); }
  Proto& Ints(uint32_t field, const std::vector<int64_t>& values) {
    protozero::pbf_writer(bytes_).add_packed_int64(field, values.begin(), values.end());
    return *this;
  }
  // Appends fields that are encoded already.
  Proto& Raw(std::string_view fields) {
    bytes_ += fields;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline Proto ArrayProto(ElementType type, const std::vector<int64_t>& dimensions) {
  Proto layout;
  std::vector<int64_t> minor_to_major;
  for (size_t i = dimensions.size(); i-- > 0;) minor_to_major.push_back(static_cast<int64_t>(i));
  layout.Ints(1, minor_to_major);
  return Proto().Int(2, static_cast<int64_t>(type)).Ints(3, dimensions).Add(5, layout);
}

inline Proto TupleProto(std::initializer_list<Proto> elements) {
  Proto tuple;
  tuple.Int(2, static_cast<int64_t>(ElementType::kTuple));
  for (const Proto& element : elements) tuple.Add(4, element);
  return tuple;
}

inline Proto F32(const std::vector<int64_t>& dimensions) { return ArrayProto(ElementType::kF32, dimensions); }
inline Proto S32(const std::vector<int64_t>& dimensions) { return ArrayProto(ElementType::kS32, dimensions); }

inline Proto InstructionProto(int64_t id, std::string_view name, std::string_view opcode, const Proto& shape,
                              const std::vector<int64_t>& operands = {}) {
  Proto i;
  i.Text(1, name).Text(2, opcode).Add(3, shape).Int(35, id);
  if (!operands.empty()) i.Ints(36, operands);
  return i;
}

inline Proto ComputationProto(int64_t id, std::string_view name, int64_t root,
                              const std::vector<Proto>& instructions) {
  Proto c;
  c.Text(1, name).Int(5, id).Int(6, root);
  for (const Proto& i : instructions) c.Add(2, i);
  return c;
}

// The last computation is the entry; `more` is added to the module as it is.
inline Proto ModuleProto(const std::vector<Proto>& computations, int64_t entry, const Proto& more = {}) {
  Proto m;
  m.Text(1, "jit_f").Text(2, "main").Int(5, 30).Int(6, entry);
  for (const Proto& c : computations) m.Add(3, c);
  return Proto().Add(1, m.Raw(more.bytes()));
}

}  // namespace gait::hlo
