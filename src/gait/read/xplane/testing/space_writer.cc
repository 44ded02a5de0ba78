#include "gait/read/xplane/testing/space_writer.h"

#include <protozero/pbf_writer.hpp>

#include "gait/read/xplane/schema.h"

namespace gait::xplane::testing_support {
namespace {

using protozero::pbf_writer;

template <typename Write>
Message Make(Write write) {
  Message bytes;
  pbf_writer message(bytes);
  write(message);
  return bytes;
}

Message MapEntry(int64_t key, const Message& value) {
  return Make([&](pbf_writer& entry) {
    entry.add_int64(map_entry::kKey, key);
    entry.add_message(map_entry::kValue, value);
  });
}

}  // namespace

Message IntStat(int64_t metadata_id, int64_t value) {
  return Make([&](pbf_writer& stat) {
    stat.add_int64(stat::kMetadataId, metadata_id);
    stat.add_int64(stat::kInt64, value);
  });
}

Message UintStat(int64_t metadata_id, uint64_t value) {
  return Make([&](pbf_writer& stat) {
    stat.add_int64(stat::kMetadataId, metadata_id);
    stat.add_uint64(stat::kUint64, value);
  });
}

Message DoubleStat(int64_t metadata_id, double value) {
  return Make([&](pbf_writer& stat) {
    stat.add_int64(stat::kMetadataId, metadata_id);
    stat.add_double(stat::kDouble, value);
  });
}

Message StringStat(int64_t metadata_id, std::string_view value) {
  return Make([&](pbf_writer& stat) {
    stat.add_int64(stat::kMetadataId, metadata_id);
    stat.add_string(stat::kString, value.data(), value.size());
  });
}

Message BytesStat(int64_t metadata_id, std::string_view value) {
  return Make([&](pbf_writer& stat) {
    stat.add_int64(stat::kMetadataId, metadata_id);
    stat.add_bytes(stat::kBytes, value.data(), value.size());
  });
}

Message RefStat(int64_t metadata_id, uint64_t string_id) {
  return Make([&](pbf_writer& stat) {
    stat.add_int64(stat::kMetadataId, metadata_id);
    stat.add_uint64(stat::kRef, string_id);
  });
}

Message Event(int64_t metadata_id, int64_t offset_ps, int64_t duration_ps, const Messages& stats) {
  return Make([&](pbf_writer& event) {
    event.add_int64(event::kMetadataId, metadata_id);
    event.add_int64(event::kOffsetPs, offset_ps);
    event.add_int64(event::kDurationPs, duration_ps);
    for (const Message& stat : stats) event.add_message(event::kStats, stat);
  });
}

Message CountedEvent(int64_t metadata_id, int64_t occurrences, int64_t duration_ps, const Messages& stats) {
  return Make([&](pbf_writer& event) {
    event.add_int64(event::kMetadataId, metadata_id);
    event.add_int64(event::kDurationPs, duration_ps);
    for (const Message& stat : stats) event.add_message(event::kStats, stat);
    event.add_int64(event::kNumOccurrences, occurrences);
  });
}

Message Line::Finish() const {
  return Make([&](pbf_writer& message) {
    message.add_int64(line::kId, id);
    message.add_string(line::kName, name);
    message.add_int64(line::kTimestampNs, timestamp_ns);
    for (const Message& event : events) message.add_message(line::kEvents, event);
    if (display_id) message.add_int64(line::kDisplayId, *display_id);
    if (!display_name.empty()) message.add_string(line::kDisplayName, display_name);
  });
}

PlaneWriter& PlaneWriter::Line(const testing_support::Line& line) {
  lines_.push_back(line.Finish());
  return *this;
}

PlaneWriter& PlaneWriter::EventName(int64_t id, std::string_view name, const Messages& stats,
                                    std::string_view display_name) {
  event_names_.push_back(MapEntry(id, Make([&](pbf_writer& metadata) {
                                    metadata.add_int64(event_metadata::kId, id);
                                    metadata.add_string(event_metadata::kName, name.data(), name.size());
                                    if (!display_name.empty()) {
                                      metadata.add_string(event_metadata::kDisplayName, display_name.data(),
                                                          display_name.size());
                                    }
                                    for (const Message& stat : stats)
                                      metadata.add_message(event_metadata::kStats, stat);
                                  })));
  return *this;
}

PlaneWriter& PlaneWriter::StatName(int64_t id, std::string_view name) {
  stat_names_.push_back(MapEntry(id, Make([&](pbf_writer& metadata) {
                                   metadata.add_int64(stat_metadata::kId, id);
                                   metadata.add_string(stat_metadata::kName, name.data(), name.size());
                                 })));
  return *this;
}

PlaneWriter& PlaneWriter::Stat(const Message& stat) {
  stats_.push_back(stat);
  return *this;
}

Message PlaneWriter::Finish(bool tables_first) const {
  return Make([&](pbf_writer& message) {
    const auto write_lines = [&] {
      for (const Message& line : lines_) message.add_message(plane::kLines, line);
    };
    message.add_int64(plane::kId, id_);
    message.add_string(plane::kName, name_);
    if (!tables_first) write_lines();
    for (const Message& entry : event_names_) message.add_message(plane::kEventMetadata, entry);
    for (const Message& entry : stat_names_) message.add_message(plane::kStatMetadata, entry);
    for (const Message& stat : stats_) message.add_message(plane::kStats, stat);
    if (tables_first) write_lines();
  });
}

Message Space(const Messages& planes, const SpaceTexts& texts) {
  return Make([&](pbf_writer& message) {
    for (const Message& plane : planes) message.add_message(space::kPlanes, plane);
    for (const std::string& text : texts.errors) message.add_string(space::kErrors, text);
    for (const std::string& text : texts.warnings) message.add_string(space::kWarnings, text);
    for (const std::string& text : texts.hostnames) message.add_string(space::kHostnames, text);
  });
}

Message VarintField(uint32_t number, uint64_t value) {
  return Make([&](pbf_writer& message) { message.add_uint64(number, value); });
}

Message BytesField(uint32_t number, std::string_view value) {
  return Make([&](pbf_writer& message) { message.add_bytes(number, value.data(), value.size()); });
}

}  // namespace gait::xplane::testing_support
