#include "gait/write/xplane_stats.h"

#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"
#include "gait/write/xplane_fields.h"

namespace gait::write {
namespace {

// Beyond the ids that the plane uses itself.
constexpr uint64_t kFirstStatId = uint64_t{1} << 40;

}  // namespace

std::string WithPlaneStats(std::string_view xspace, std::string_view plane,
                           std::span<const std::pair<std::string, std::string>> stats) {
  std::string made;
  protozero::pbf_writer space(made);
  bool added = false;
  for (FieldWalker fields(xspace); fields.Next();) {  // an XSpace has no other fields than those of bytes
    const bool is_wanted = fields.number() == xplane::space::kPlanes && !added &&
                           BytesOf(fields.bytes(), xplane::plane::kName) == plane;
    if (!is_wanted) {
      space.add_bytes(fields.number(), fields.bytes().data(), fields.bytes().size());
      continue;
    }
    added = true;
    std::string content(fields.bytes());
    protozero::pbf_writer writer(content);  // appends
    for (uint64_t id = kFirstStatId; const auto& [name, text] : stats) {
      AddNamed(writer, xplane::plane::kStatMetadata, id, name);
      protozero::pbf_writer stat(writer, xplane::plane::kStats);
      stat.add_uint64(xplane::stat::kMetadataId, id++);
      stat.add_string(xplane::stat::kString, text);
    }
    space.add_bytes(xplane::space::kPlanes, content);
  }
  return made;
}

}  // namespace gait::write
