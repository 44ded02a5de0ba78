#include "gait/read/xplane/line_reader.h"

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

constexpr size_t kPart = 4 << 20;

// Cuts the way through a line into parts.
class Parts {
 public:
  Parts(std::string_view line, const PartRead& done) : line_(line), done_(done) {}
  ~Parts() { Report(line_.size()); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void At(size_t position) {
    if (position - reported_ >= kPart) Report(position);
  }

 private:
  void Report(size_t position) {
    done_(line_.substr(reported_, position - reported_));
    reported_ = position;
  }

  std::string_view line_;
  const PartRead& done_;
  size_t reported_ = 0;
};

}  // namespace

LineHeader ReadLineHeader(std::string_view message, const PartRead& done) {
  LineHeader header;
  FieldWalker fields(message);
  Parts parts(message, done);
  while (fields.Next()) {
    switch (fields.number()) {
      case line::kEvents:
        ++header.events;
        parts.At(fields.position());
        break;
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

void ReadLine(const LineIndex& line, const PlaneTables& tables, int64_t base_ns, const PartRead& done,
              TrackWriter& events, const CountedTrack& counted) {
  EventDecoder decoder(tables, base_ns, events, counted);
  FieldWalker fields(line.bytes);
  Parts parts(line.bytes, done);
  uint64_t unreadable = 0;
  while (fields.Next()) {
    if (fields.number() != line::kEvents || !fields.is_bytes()) continue;
    if (fields.cut()) continue;  // the last one, of which the end of the line tells
    if (!decoder.Decode(fields.bytes()) && ++unreadable >= limits::kMaxUnreadable) {
      events.Lose(LossKind::kDropped, "line given up after too many unreadable events");
      break;
    }
    parts.At(fields.position());
  }
  events.Lose(LossKind::kDropped, "unreadable event", unreadable);
  if (!line.cut.empty()) {
    events.Lose(LossKind::kTruncated, line.cut);
  } else if (!fields.trouble().empty()) {
    events.Lose(LossKind::kDropped, fmt::format("line damaged: {}", fields.trouble()));
  }
}

}  // namespace gait::xplane
