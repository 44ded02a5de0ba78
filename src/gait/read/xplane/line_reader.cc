#include "gait/read/xplane/line_reader.h"

#include <fmt/format.h>

#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

// Damage that goes on and on is not worth a message each: after this many unreadable events the line is given
// up.
constexpr uint64_t kMaxUnreadable = 10'000;
// How much to read before giving pages back.
constexpr size_t kReleaseStep = 4 << 20;

}  // namespace

LineHeader ReadLineHeader(std::string_view message) {
  LineHeader header;
  FieldWalker fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case line::kId:
        header.id = fields.integer();
        break;
      case line::kName:
        header.name = fields.bytes();
        break;
      case line::kDisplayName:
        header.display_name = fields.bytes();
        break;
      case line::kDisplayId:
        header.display_id = fields.integer();
        break;
      case line::kTimestampNs:
        header.timestamp_ns = fields.integer();
        break;
      default:
        break;
    }
  }
  return header;
}

void ReadLine(const LineIndex& line, const PlaneTables& tables, int64_t base_ns, const Bytes& file,
              TrackWriter& events, const CountedTrack& counted) {
  EventDecoder decoder(tables, base_ns, events, counted);
  FieldWalker fields(line.bytes);
  uint64_t unreadable = 0;
  size_t released = 0;
  while (fields.Next()) {
    if (fields.number() != line::kEvents || !fields.is_bytes()) continue;
    if (fields.cut()) {
      events.Lose(LossKind::kTruncated, "an event is cut");
      break;
    }
    if (!decoder.Decode(fields.bytes()) && ++unreadable >= kMaxUnreadable) {
      events.Lose(LossKind::kTruncated, "line given up after too many unreadable events");
      break;
    }
    if (fields.position() - released >= kReleaseStep) {
      file.Release(line.bytes.substr(released, fields.position() - released));
      released = fields.position();
    }
  }
  events.Lose(LossKind::kDropped, "unreadable event", unreadable);
  if (line.cut) {
    events.Lose(LossKind::kTruncated, "the file ends inside this line");
  } else if (!fields.trouble().empty()) {
    events.Lose(LossKind::kTruncated, fmt::format("line damaged: {}", fields.trouble()));
  }
}

}  // namespace gait::xplane
