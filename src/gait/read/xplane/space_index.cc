#include "gait/read/xplane/space_index.h"

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

// `cut`: what ended inside this plane; empty when it is whole.
PlaneIndex IndexPlane(std::string_view message, std::string_view cut, LossLog& losses) {
  PlaneIndex index;
  index.cut = cut;
  FieldWalker fields(message);
  bool line_cut = false;
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
        index.lines.push_back({fields.bytes()});
        line_cut = !whole;
        break;
      case plane::kEventMetadata:
        // A cut entry is kept: it may be a program, of which the beginning is readable.
        index.event_metadata.push_back(fields.bytes());
        index.entry_cut = !whole && !cut.empty();
        break;
      case plane::kStatMetadata:
        if (whole) index.stat_metadata.push_back(fields.bytes());
        break;
      case plane::kStats:
        if (whole) index.stats.push_back(fields.bytes());
        break;
      default:
        break;
    }
  }
  index.place = index.name.empty() ? fmt::format("plane {}", index.id) : std::string(index.name);
  if (index.entry_cut) return index;
  if (line_cut) {
    index.lines.back().cut =
        cut.empty() ? "line damaged: it ends beyond its plane" : CutText(cut, "this line");
  } else if (!cut.empty()) {
    losses.Add(LossKind::kTruncated, index.place, CutText(cut, "this plane"));
  } else if (!fields.trouble().empty()) {
    losses.Add(LossKind::kDropped, index.place, fmt::format("plane damaged: {}", fields.trouble()));
  }
  return index;
}

}  // namespace

std::string CutText(std::string_view cut, std::string_view place) {
  return fmt::format("{} inside {}; what follows is missing", cut, place);
}

SpaceIndex IndexSpace(std::string_view space, LossLog& losses, std::string_view stream_cut) {
  SpaceIndex index;
  FieldWalker fields(space);
  const std::string ends = stream_cut.empty() ? "the file ends" : fmt::format("{},", stream_cut);
  uint64_t capped = 0;
  bool told = false;  // the plane or the line says that the file is cut
  while (fields.Next()) {
    if (!fields.is_bytes()) continue;
    switch (fields.number()) {
      case space::kPlanes:
        if (index.planes.size() < limits::kMaxPlanes) {
          index.planes.push_back(IndexPlane(fields.bytes(), fields.cut() ? ends : "", losses));
          told = fields.cut();
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
  if (!fields.trouble().empty())
    index.trouble = fmt::format("{} at byte {}", fields.trouble(), fields.position());
  if (told) return index;
  if (!stream_cut.empty()) {
    losses.Add(LossKind::kTruncated, "file", stream_cut);
  } else if (!fields.trouble().empty()) {
    losses.Add(fields.ends_early() ? LossKind::kTruncated : LossKind::kDropped, "file",
               fmt::format("the file {}", fields.trouble()));
  }
  return index;
}

}  // namespace gait::xplane
