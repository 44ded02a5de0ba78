#include "gait/read/xplane/space_index.h"

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

PlaneIndex IndexPlane(std::string_view message, bool cut, LossLog& losses) {
  PlaneIndex index;
  FieldWalker fields(message);
  size_t cut_tables = 0;
  while (fields.Next()) {
    const bool whole = !fields.cut();
    if (!fields.is_bytes()) {
      if (fields.number() == plane::kId) index.id = fields.integer();
      continue;
    }
    switch (fields.number()) {
      case plane::kName:
        index.name = fields.bytes();
        break;
      case plane::kLines:
        index.lines.push_back({fields.bytes(), !whole});
        break;
      case plane::kEventMetadata:
        // A cut entry is kept: it may be a program, of which the beginning is readable.
        index.event_metadata.push_back(fields.bytes());
        cut_tables += !whole;
        break;
      case plane::kStatMetadata:
        if (whole) index.stat_metadata.push_back(fields.bytes());
        cut_tables += !whole;
        break;
      case plane::kStats:
        if (whole) index.stats.push_back(fields.bytes());
        cut_tables += !whole;
        break;
      default:
        break;
    }
  }
  const std::string place = index.name.empty() ? fmt::format("plane {}", index.id) : std::string(index.name);
  if (cut_tables > 0) losses.Add(LossKind::kTruncated, place, "a table entry is cut");
  if (cut) {
    losses.Add(LossKind::kTruncated, place, "the file ends inside this plane; what follows is missing");
  } else if (!fields.trouble().empty()) {
    losses.Add(LossKind::kTruncated, place, fmt::format("plane damaged: {}", fields.trouble()));
  }
  return index;
}

}  // namespace

SpaceIndex IndexSpace(std::string_view space, LossLog& losses) {
  SpaceIndex index;
  FieldWalker fields(space);
  uint64_t capped = 0;
  while (fields.Next()) {
    if (!fields.is_bytes()) continue;
    switch (fields.number()) {
      case space::kPlanes:
        if (index.planes.size() < limits::kMaxPlanes) {
          index.planes.push_back(IndexPlane(fields.bytes(), fields.cut(), losses));
        } else {
          ++capped;
        }
        break;
      case space::kErrors:
        index.errors.emplace_back(fields.bytes());
        break;
      case space::kWarnings:
        index.warnings.emplace_back(fields.bytes());
        break;
      case space::kHostnames:
        index.hostnames.emplace_back(fields.bytes());
        break;
      default:
        break;
    }
  }
  losses.Add(LossKind::kCapped, "file", fmt::format("planes beyond {}", limits::kMaxPlanes), capped);
  if (!fields.trouble().empty()) {
    index.trouble = fmt::format("{} after byte {}", fields.trouble(), fields.position());
    losses.Add(LossKind::kTruncated, "file", fmt::format("the file {}", fields.trouble()));
  }
  return index;
}

}  // namespace gait::xplane
