#include "gait/read/xplane/space_index.h"

#include <set>

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

// `cut`: what ended inside this plane; empty when it is whole. `lines`: how many there were before it.
PlaneIndex IndexPlane(std::string_view message, std::string_view cut, size_t& lines, LossLog& losses) {
  PlaneIndex index;
  index.cut = cut;
  uint64_t capped = 0;
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
        if (++lines > limits::kMaxLines) {
          ++capped;
          break;
        }
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
  losses.Add(LossKind::kCapped, index.place, fmt::format("lines beyond {}", limits::kMaxLines), capped);
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

// Texts of the profiler: one is as good as the next beyond the first thousand.
void AddMessage(std::string_view text, std::vector<std::string>& messages, uint64_t& capped) {
  if (messages.size() < limits::kMaxMessages) {
    messages.emplace_back(text);
  } else {
    ++capped;
  }
}

}  // namespace

std::string CutText(std::string_view cut, std::string_view place) {
  return fmt::format("{} inside {}; what follows is missing", cut, place);
}

SpaceIndex IndexSpace(std::string_view space, LossLog& losses, const StreamCut& stream_cut) {
  SpaceIndex index;
  FieldWalker fields(space);
  const std::string ends = stream_cut.empty() ? "the file ends" : fmt::format("{},", stream_cut.why);
  uint64_t capped = 0;
  uint64_t capped_messages = 0;
  size_t lines = 0;
  std::set<std::string_view> seen;
  bool told = false;  // the plane or the line says that the file is cut
  while (fields.Next()) {
    if (!fields.is_bytes()) continue;
    switch (fields.number()) {
      case space::kPlanes:
        if (index.planes.size() < limits::kMaxPlanes) {
          PlaneIndex plane = IndexPlane(fields.bytes(), fields.cut() ? ends : "", lines, losses);
          told = fields.cut();
          // As when a file was appended to itself: nothing happens twice to the picosecond.
          if (!plane.lines.empty() && !seen.insert(fields.bytes()).second) {
            losses.Add(LossKind::kDropped, plane.place, "the same plane once more, byte for byte");
          } else {
            index.planes.push_back(std::move(plane));
          }
        } else {
          ++capped;
        }
        break;
      case space::kErrors:
        AddMessage(fields.bytes(), index.errors, capped_messages);
        break;
      case space::kWarnings:
        AddMessage(fields.bytes(), index.warnings, capped_messages);
        break;
      case space::kHostnames:
        AddMessage(fields.bytes(), index.hostnames, capped_messages);
        break;
      default:
        index.has_other_fields = true;
        break;
    }
  }
  losses.Add(LossKind::kCapped, "file", fmt::format("planes beyond {}", limits::kMaxPlanes), capped);
  losses.Add(LossKind::kCapped, "file",
             fmt::format("errors, warnings and host names beyond {} of each", limits::kMaxMessages),
             capped_messages);
  if (!fields.trouble().empty())
    index.trouble = fmt::format("{} at byte {}", fields.trouble(), fields.position());
  if (told) return index;
  if (!stream_cut.empty()) {
    losses.Add(stream_cut.damaged ? LossKind::kDropped : LossKind::kTruncated, "file", stream_cut.why);
  } else if (!fields.trouble().empty()) {
    losses.Add(
        fields.ends_early() ? LossKind::kTruncated : LossKind::kDropped, "file",
        fmt::format("{} {}", fields.ends_early() ? "the file" : "the file is damaged:", fields.trouble()));
  }
  return index;
}

}  // namespace gait::xplane
