// EventDecoder: one XEvent message into a TrackWriter. The hot loop of the reader.
//
// Three ways, tried in this order:
//   EventReplay   guesses the event and compares bytes
//   fast          walks the message by hand, copies the bytes of the arguments without decoding them, and
//                 asks ArgTemplates whether they were seen before; on `large` they were for all but 2 of 1000
//                 events
//   general       decodes every argument with protozero
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/base/limits.h"
#include "gait/read/xplane/arg_templates.h"
#include "gait/read/xplane/event_replay.h"
#include "gait/read/xplane/tables.h"
#include "gait/trace/track_writer.h"

namespace gait::xplane {

// Makes a track at the first call; few lines need one.
using CountedTrack = std::function<TrackWriter&()>;

class EventDecoder {
 public:
  // Times count from base_ns. Events that have a count instead of a time go to the track that `counted`
  // returns.
  EventDecoder(const PlaneTables& tables, int64_t base_ns, TrackWriter& events, const CountedTrack& counted)
      : tables_(tables), base_ns_(base_ns), events_(events), counted_(counted) {}

  // False when the event could not be read; nothing is written then.
  bool Decode(std::string_view message);

  uint64_t fast_events() const { return known_; }       // how many did not go the general way
  uint64_t guessed_events() const { return guessed_; }  // how many of them were guessed

 private:
  struct Fields {
    int64_t metadata_id = 0;
    int64_t offset_ps = 0;
    int64_t duration_ps = 0;
    std::optional<int64_t> occurrences;
  };
  enum class Fast { kWritten, kUnusual, kNew };

  bool DecodeGuessed(std::string_view message);
  // The fast way. kNew: the message is a usual one, but its arguments were not seen before; key_ holds their
  // bytes.
  Fast DecodeFast(std::string_view message);
  bool AddToKey(std::string_view stat);
  bool AddValue(std::string_view value_field);
  bool ReadValue(uint8_t tag, std::string_view bytes, ArgValue& value) const;
  void LearnPattern(EventReplay::Pattern& pattern, std::string_view message, size_t id_end,
                    size_t arguments_begin, ArgSetId set);
  bool WriteKnown(ArgSetId set, uint64_t offset_ps, uint64_t duration_ps);
  void Remember();

  bool DecodeWhole(std::string_view message);
  static Fields ReadFields(std::string_view message);
  void ReadArguments(std::string_view message, TrackWriter& writer);
  void AddArgument(std::string_view stat, TrackWriter& writer);
  void Write(const Fields& fields, TrackWriter& writer);
  void Unresolved(std::string_view reason, TrackWriter& writer);

  // Whether the argument with this metadata id goes to the value column (as far as this decoder knows), and
  // the base that is subtracted.
  struct Varying {
    bool varying = false;
    uint64_t base = 0;
  };
  struct Value {
    ArgValue value;
    uint64_t base;
    std::string_view bytes{};  // in the message; the byte before them is the tag
  };

  const PlaneTables& tables_;
  const int64_t base_ns_;
  TrackWriter& events_;
  const CountedTrack& counted_;
  const EventMetadata* metadata_ = nullptr;  // of the event being read

  EventReplay replay_;
  ArgTemplates templates_;
  std::vector<Varying> varying_;    // by metadata id of the argument
  std::vector<uint32_t> stat_ids_;  // of the event being read
  size_t decoded_ = 0;              // arguments of it that were decoded
  bool as_expected_ = false;        // all of them were what stat_ids_ says, and resolved
  std::array<char, limits::kMaxTemplateBytes> key_;
  size_t key_size_ = 0;
  std::array<Value, limits::kMaxTemplateValues> values_;
  size_t value_count_ = 0;
  uint64_t known_ = 0;    // events that were guessed or went the fast way
  uint64_t guessed_ = 0;  // events that were guessed
  uint64_t new_ = 0;      // events whose arguments had to be remembered
};

}  // namespace gait::xplane
