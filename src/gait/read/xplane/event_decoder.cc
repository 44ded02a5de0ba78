#include "gait/read/xplane/event_decoder.h"

#include <fmt/format.h>

#include <cstring>
#include <protozero/pbf_reader.hpp>

#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// Tags as they stand in the file: field number and wire type in one byte.
constexpr uint8_t kVarintTag = 0;
constexpr uint8_t kFixed64Tag = 1;
constexpr uint8_t kBytesTag = 2;
constexpr uint8_t Tag(uint32_t field, uint8_t type) { return static_cast<uint8_t>(field << 3 | type); }

// A line that does not repeat itself pays for remembering and gains nothing: judged after this many new
// arguments.
constexpr uint64_t kTrial = 8192;

inline bool ReadVarint(const char*& at, const char* end, uint64_t& value) {
  if (at == end) return false;
  auto byte = static_cast<uint8_t>(*at++);
  value = byte & 0x7FU;
  for (int shift = 7; byte >= 0x80; shift += 7) {
    if (at == end || shift > 63) return false;
    byte = static_cast<uint8_t>(*at++);
    value |= uint64_t{byte & 0x7FU} << shift;
  }
  return true;
}

}  // namespace

bool EventDecoder::Decode(std::string_view message) {
  if (DecodeGuessed(message)) {
    ++guessed_;
    ++known_;
    return true;
  }
  if (new_ > kTrial && known_ < new_) return DecodeWhole(message);
  switch (DecodeFast(message)) {
    case Fast::kWritten:
      ++known_;
      return true;
    case Fast::kUnusual:
      replay_.Lost();
      return DecodeWhole(message);
    case Fast::kNew: {
      replay_.Lost();
      ++new_;
      const size_t written = events_.size();
      if (!DecodeWhole(message)) return false;
      if (events_.size() > written) Remember();  // else its time made it a loss, and its arguments are gone
      return true;
    }
  }
  return false;
}

bool EventDecoder::DecodeGuessed(std::string_view message) {
  const EventReplay::Pattern* guess = replay_.Guess();
  if (guess == nullptr || !message.starts_with(guess->id)) return false;
  const char* at = message.data() + guess->id.size();
  const char* const end = message.data() + message.size();
  uint64_t offset = 0;
  uint64_t duration = 0;
  if (at != end && static_cast<uint8_t>(*at) == Tag(event::kOffsetPs, kVarintTag)) {
    if (!ReadVarint(++at, end, offset)) return false;
  }
  if (at != end && static_cast<uint8_t>(*at) == Tag(event::kDurationPs, kVarintTag)) {
    if (!ReadVarint(++at, end, duration)) return false;
  }
  // The lengths of all arguments are among the compared bytes, so equal bytes mean equal places.
  const std::string_view arguments(at, static_cast<size_t>(end - at));
  const std::string_view known = guess->arguments;
  if (arguments.size() != known.size()) return false;
  size_t done = 0;
  value_count_ = 0;
  for (const EventReplay::Hole& hole : guess->holes) {
    if (std::memcmp(at + done, known.data() + done, hole.begin - done) != 0) return false;
    Value& value = values_[value_count_++];
    value.base = hole.base;
    if (!ReadValue(hole.tag, arguments.substr(hole.begin, hole.size), value.value)) return false;
    done = hole.begin + hole.size;
  }
  if (std::memcmp(at + done, known.data() + done, known.size() - done) != 0) return false;
  metadata_ = guess->metadata;
  if (!WriteKnown(guess->set, offset, duration)) return false;
  replay_.Right();
  return true;
}

bool EventDecoder::WriteKnown(ArgSetId set, uint64_t offset_ps, uint64_t duration_ps) {
  if (!events_.HasRoomForValues()) return false;  // the general way counts what does not fit
  events_.RepeatArgs(set);
  for (size_t i = 0; i < value_count_; ++i) events_.Value(values_[i].value, values_[i].base);
  Write({0, static_cast<int64_t>(offset_ps), static_cast<int64_t>(duration_ps), {}}, events_);
  return true;
}

void EventDecoder::LearnPattern(EventReplay::Pattern& pattern, std::string_view message, size_t id_end,
                                size_t arguments_begin, ArgSetId set) {
  if (pattern.metadata != nullptr && pattern.arguments.size() == message.size() - arguments_begin) return;
  pattern.id = message.substr(0, id_end);
  pattern.arguments = message.substr(arguments_begin);
  pattern.metadata = metadata_;
  pattern.set = set;
  pattern.holes.clear();
  for (size_t i = 0; i < value_count_; ++i) {
    const std::string_view bytes = values_[i].bytes;
    const auto begin = static_cast<uint32_t>(bytes.data() - message.data() - arguments_begin);
    pattern.holes.push_back({begin, static_cast<uint32_t>(bytes.size()),
                             static_cast<uint8_t>(*(bytes.data() - 1)), values_[i].base});
  }
}

EventDecoder::Fast EventDecoder::DecodeFast(std::string_view message) {
  const char* at = message.data();
  const char* const end = at + message.size();
  uint64_t metadata_id = 0;
  uint64_t offset = 0;
  uint64_t duration = 0;
  key_size_ = 0;
  value_count_ = 0;
  stat_ids_.clear();
  // The name decides the shared arguments, so it opens the key; every writer puts it first.
  if (at == end || static_cast<uint8_t>(*at++) != Tag(event::kMetadataId, kVarintTag)) return Fast::kUnusual;
  if (!ReadVarint(at, end, metadata_id)) return Fast::kUnusual;
  std::memcpy(key_.data(), &metadata_id, sizeof metadata_id);
  key_size_ = sizeof metadata_id;
  const auto id_end = static_cast<size_t>(at - message.data());
  size_t arguments_begin = message.size();
  bool in_order = true;  // times come before arguments
  while (at != end) {
    switch (static_cast<uint8_t>(*at++)) {
      case Tag(event::kOffsetPs, kVarintTag):
        if (!ReadVarint(at, end, offset)) return Fast::kUnusual;
        in_order &= stat_ids_.empty();
        break;
      case Tag(event::kDurationPs, kVarintTag):
        if (!ReadVarint(at, end, duration)) return Fast::kUnusual;
        in_order &= stat_ids_.empty();
        break;
      case Tag(event::kStats, kBytesTag): {
        uint64_t size = 0;
        if (stat_ids_.empty()) arguments_begin = static_cast<size_t>(at - 1 - message.data());
        if (!ReadVarint(at, end, size) || size > static_cast<uint64_t>(end - at)) return Fast::kUnusual;
        if (!AddToKey({at, static_cast<size_t>(size)})) return Fast::kUnusual;
        at += size;
        break;
      }
      default:
        return Fast::kUnusual;
    }
  }
  metadata_ = tables_.events.Find(static_cast<int64_t>(metadata_id));
  if (!metadata_) return Fast::kUnusual;
  if (stat_ids_.empty() && metadata_->shared.empty()) {
    Write(
        {static_cast<int64_t>(metadata_id), static_cast<int64_t>(offset), static_cast<int64_t>(duration), {}},
        events_);
    replay_.Lost();
    return Fast::kWritten;
  }
  const ArgTemplates::Template known = templates_.Find({key_.data(), key_size_});
  if (!known.set.valid()) return Fast::kNew;
  if (!WriteKnown(known.set, offset, duration)) return Fast::kUnusual;
  if (in_order) {
    LearnPattern(replay_.Came(known.number), message, id_end, arguments_begin, known.set);
  } else {
    replay_.Lost();
  }
  return Fast::kWritten;
}

// The bytes of one argument: whole where its value belongs to the set; without the value where that varies.
bool EventDecoder::AddToKey(std::string_view stat) {
  const char* at = stat.data();
  const char* const end = at + stat.size();
  uint64_t id = 0;
  if (stat.size() > 255 || key_size_ + stat.size() + 2 > limits::kMaxTemplateBytes) return false;
  if (at == end || static_cast<uint8_t>(*at++) != Tag(stat::kMetadataId, kVarintTag)) return false;
  if (!ReadVarint(at, end, id) || id >= limits::kMaxTemplateStat || at == end) return false;
  stat_ids_.push_back(static_cast<uint32_t>(id));
  const bool varies = id < varying_.size() && varying_[id].varying;
  // Length first, 0 for one without value: keys of different arguments cannot run into each other.
  const std::string_view bytes = varies ? stat.substr(0, static_cast<size_t>(at + 1 - stat.data())) : stat;
  key_[key_size_++] = varies ? '\0' : static_cast<char>(stat.size());
  std::memcpy(key_.data() + key_size_, bytes.data(), bytes.size());
  key_size_ += bytes.size();
  return !varies || AddValue({at, static_cast<size_t>(end - at)});
}

// The value of a varying argument; the field must be all that is left of the message.
bool EventDecoder::AddValue(std::string_view field) {
  if (value_count_ == limits::kMaxTemplateValues) return false;
  Value& value = values_[value_count_];
  value.base = varying_[stat_ids_.back()].base;
  value.bytes = field.substr(1);
  if (!ReadValue(static_cast<uint8_t>(field[0]), value.bytes, value.value)) return false;
  ++value_count_;
  return true;
}

bool EventDecoder::ReadValue(uint8_t tag, std::string_view bytes, ArgValue& value) const {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  uint64_t number = 0;
  if (tag == Tag(stat::kDouble, kFixed64Tag)) {
    if (bytes.size() != sizeof number) return false;
    std::memcpy(&number, at, sizeof number);
    value = {ArgType::kDouble, number};
    return true;
  }
  if (!ReadVarint(at, end, number) || at != end) return false;
  switch (tag) {
    case Tag(stat::kUint64, kVarintTag):
      value = {ArgType::kUint, number};
      return true;
    case Tag(stat::kInt64, kVarintTag):
      value = {ArgType::kInt, number};
      return true;
    case Tag(stat::kRef, kVarintTag):
      if (const StringId* text = tables_.stat_names.Find(static_cast<int64_t>(number))) {
        value = ArgValue::String(*text);
        return true;
      }
      return false;
    default:
      return false;
  }
}

// Stores the key of the event just decoded whole, unless that event made an argument vary: then the key is
// outdated. What could not be resolved is not remembered either, so that it is counted every time.
void EventDecoder::Remember() {
  bool changed = !as_expected_;
  for (const uint32_t id : stat_ids_) {
    const StringId* name = tables_.stat_names.Find(id);
    const std::optional<uint64_t> base = name ? events_.VaryingBase(*name) : std::nullopt;
    if (id >= varying_.size()) varying_.resize(id + 1);
    changed |= varying_[id].varying != base.has_value();
    varying_[id] = {base.has_value(), base.value_or(0)};
  }
  if (!changed) templates_.Store({key_.data(), key_size_}, events_.last_args());
}

// Twice through the message: its name, which may stand behind the arguments, brings arguments that come
// first.
bool EventDecoder::DecodeWhole(std::string_view message) {
  TrackWriter* writer = &events_;
  decoded_ = 0;
  as_expected_ = true;
  try {
    const Fields fields = ReadFields(message);
    if (fields.occurrences) writer = &counted_();
    metadata_ = tables_.events.Find(fields.metadata_id);
    if (metadata_) writer->SharedArgs(metadata_->shared);
    ReadArguments(message, *writer);
    if (fields.occurrences)
      writer->Arg(writer->Intern("num_occurrences"), ArgValue::Int(*fields.occurrences));
    Write(fields, *writer);
    return true;
  } catch (const protozero::exception&) {
    writer->Discard();
    return false;
  }
}

EventDecoder::Fields EventDecoder::ReadFields(std::string_view message) {
  Fields result;
  protozero::pbf_reader fields(message.data(), message.size());
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case tag_and_type(event::kMetadataId, pbf_wire_type::varint):
        result.metadata_id = fields.get_int64();
        break;
      case tag_and_type(event::kOffsetPs, pbf_wire_type::varint):
        result.offset_ps = fields.get_int64();
        break;
      case tag_and_type(event::kDurationPs, pbf_wire_type::varint):
        result.duration_ps = fields.get_int64();
        break;
      case tag_and_type(event::kNumOccurrences, pbf_wire_type::varint):
        result.occurrences = fields.get_int64();
        break;
      default:
        fields.skip();
    }
  }
  return result;
}

void EventDecoder::ReadArguments(std::string_view message, TrackWriter& writer) {
  protozero::pbf_reader fields(message.data(), message.size());
  while (fields.next(event::kStats, pbf_wire_type::length_delimited)) {
    const protozero::data_view view = fields.get_view();
    AddArgument({view.data(), view.size()}, writer);
  }
}

void EventDecoder::AddArgument(std::string_view message, TrackWriter& writer) {
  const Stat stat = DecodeStat(message);
  as_expected_ &= decoded_ < stat_ids_.size() && stat_ids_[decoded_] == stat.metadata_id;
  ++decoded_;
  const StringId* name = tables_.stat_names.Find(stat.metadata_id);
  const StringId key = name ? *name : writer.Intern(fmt::format("stat {}", stat.metadata_id));
  if (!name) {
    as_expected_ = false;
    Unresolved("argument name with an unknown id", writer);
  }
  if (stat.is_ref) {
    if (const StringId* text = tables_.stat_names.Find(static_cast<int64_t>(stat.value.bits))) {
      writer.Arg(key, ArgValue::String(*text));
      return;
    }
    as_expected_ = false;
    Unresolved("argument value with an unknown string id", writer);
    writer.Arg(key, stat.value);
  } else if (stat.is_inline) {
    writer.Arg(key, {stat.value.type, writer.Intern(stat.text).value});
  } else {
    writer.Arg(key, stat.value);
  }
}

void EventDecoder::Unresolved(std::string_view reason, TrackWriter& writer) {
  if (tables_.cut_place.empty()) {
    writer.Lose(LossKind::kUnresolved, reason);
  } else {
    writer.LoseAt(LossKind::kUnresolved, tables_.cut_place, kLostToTheCut);
  }
}

void EventDecoder::Write(const Fields& fields, TrackWriter& writer) {
  StringId name;
  if (metadata_) {
    name = metadata_->name;
  } else {
    Unresolved("event name with an unknown id", writer);
    name = writer.Intern(fmt::format("event {}", fields.metadata_id));
  }
  const ClampedTime begin = ClampedSum(base_ns_, fields.offset_ps);
  if (begin.clamped && begin.time > Ps(0))
    writer.Lose(LossKind::kRepaired, "time beyond the range taken as the nearest possible");
  writer.Event(begin.time, Ps(fields.duration_ps), name);
}

}  // namespace gait::xplane
