// Writes XSpace files for tests, message by message; every message is a string of its bytes.
//
//   PlaneWriter plane("/device:GPU:0");
//   plane.EventName(1, "kernel").StatName(2, "correlation_id");
//   plane.Line({.id = 7, .name = "Stream #7(Compute)", .events = {Event(1, 0, 1000, {UintStat(2, 5)})}});
//   std::string file = Space({plane.Finish()});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gait::xplane::testing_support {

using Message = std::string;
using Messages = std::vector<Message>;

Message IntStat(int64_t metadata_id, int64_t value);
Message UintStat(int64_t metadata_id, uint64_t value);
Message DoubleStat(int64_t metadata_id, double value);
Message StringStat(int64_t metadata_id, std::string_view value);
Message BytesStat(int64_t metadata_id, std::string_view value);
Message RefStat(int64_t metadata_id, uint64_t string_id);

Message Event(int64_t metadata_id, int64_t offset_ps, int64_t duration_ps, const Messages& stats = {});
Message CountedEvent(int64_t metadata_id, int64_t occurrences, int64_t duration_ps,
                     const Messages& stats = {});

struct Line {
  int64_t id = 0;
  std::string name = {};
  int64_t timestamp_ns = 0;
  Messages events = {};
  std::optional<int64_t> display_id = {};
  std::string display_name = {};

  Message Finish() const;
};

class PlaneWriter {
 public:
  explicit PlaneWriter(std::string name, int64_t id = 0) : id_(id), name_(std::move(name)) {}

  PlaneWriter& Line(const testing_support::Line& line);
  PlaneWriter& EventName(int64_t id, std::string_view name, const Messages& stats = {},
                         std::string_view display_name = {});
  PlaneWriter& StatName(int64_t id, std::string_view name);
  PlaneWriter& Stat(const Message& stat);

  // Lines before the tables, as the profiler writes them; or the other way round.
  Message Finish(bool tables_first = false) const;

 private:
  int64_t id_;
  std::string name_;
  Messages lines_;
  Messages event_names_;
  Messages stat_names_;
  Messages stats_;
};

struct SpaceTexts {
  std::vector<std::string> errors = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> hostnames = {};
};
Message Space(const Messages& planes, const SpaceTexts& texts = {});

// One field of any message, for what the functions above do not write.
Message VarintField(uint32_t number, uint64_t value);
Message BytesField(uint32_t number, std::string_view value);

}  // namespace gait::xplane::testing_support
