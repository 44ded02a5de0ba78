#include "gait/write/xplane_fields.h"

#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::write {

std::optional<std::string_view> BytesOf(std::string_view message, uint32_t number) {
  std::optional<std::string_view> found;
  for (FieldWalker fields(message); fields.Next();) {
    if (fields.number() == number && fields.is_bytes()) found = fields.bytes();
  }
  return found;
}

std::optional<int64_t> IntegerOf(std::string_view message, uint32_t number) {
  std::optional<int64_t> found;
  for (FieldWalker fields(message); fields.Next();) {
    if (fields.number() == number && !fields.is_bytes()) found = fields.integer();
  }
  return found;
}

void AddNamed(protozero::pbf_writer& plane, uint32_t table, uint64_t id, std::string_view name) {
  protozero::pbf_writer entry(plane, table);
  entry.add_uint64(xplane::map_entry::kKey, id);
  protozero::pbf_writer value(entry, xplane::map_entry::kValue);
  value.add_uint64(xplane::event_metadata::kId, id);  // events and stats have the same two fields
  value.add_string(xplane::event_metadata::kName, name.data(), name.size());
}

}  // namespace gait::write
