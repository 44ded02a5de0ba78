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
  if (new_ > kTrial && known_ < new_) return DecodeWhole(message);
  switch (DecodeFast(message)) {
    case Fast::kWritten:
      ++known_;
      return true;
    case Fast::kUnusual:
      return DecodeWhole(message);
    case Fast::kNew:
      ++new_;
      if (!DecodeWhole(message)) return false;
      Remember();
      return true;
  }
  return false;
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
  while (at != end) {
    switch (static_cast<uint8_t>(*at++)) {
      case Tag(event::kOffsetPs, kVarintTag):
        if (!ReadVarint(at, end, offset)) return Fast::kUnusual;
        break;
      case Tag(event::kDurationPs, kVarintTag):
        if (!ReadVarint(at, end, duration)) return Fast::kUnusual;
        break;
      case Tag(event::kStats, kBytesTag): {
        uint64_t size = 0;
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
  if (!stat_ids_.empty() || !metadata_->shared.empty()) {
    const ArgSetId set = templates_.Find({key_.data(), key_size_});
    if (!set.valid()) return Fast::kNew;
    if (!events_.HasRoomForValues()) return Fast::kUnusual;  // the general way counts what does not fit
    events_.RepeatArgs(set);
    for (size_t i = 0; i < value_count_; ++i) events_.Value(values_[i].value, values_[i].base);
  }
  Write({static_cast<int64_t>(metadata_id), static_cast<int64_t>(offset), static_cast<int64_t>(duration), {}},
        events_);
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
  const char* at = field.data();
  const char* const end = at + field.size();
  const auto tag = static_cast<uint8_t>(*at++);
  uint64_t number = 0;
  ArgValue value;
  switch (tag) {
    case Tag(stat::kUint64, kVarintTag):
    case Tag(stat::kInt64, kVarintTag):
      if (!ReadVarint(at, end, number)) return false;
      value = {tag == Tag(stat::kUint64, kVarintTag) ? ArgType::kUint : ArgType::kInt, number};
      break;
    case Tag(stat::kDouble, kFixed64Tag):
      if (end - at != sizeof number) return false;
      std::memcpy(&number, at, sizeof number);
      value = {ArgType::kDouble, number};
      at = end;
      break;
    case Tag(stat::kRef, kVarintTag): {
      if (!ReadVarint(at, end, number)) return false;
      const StringId* text = tables_.stat_names.Find(static_cast<int64_t>(number));
      if (!text) return false;
      value = ArgValue::String(*text);
      break;
    }
    default:
      return false;
  }
  if (at != end || value_count_ == limits::kMaxTemplateValues) return false;
  values_[value_count_++] = {value, varying_[stat_ids_.back()].base};
  return true;
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
  if (begin.clamped) writer.Lose(LossKind::kRepaired, "time beyond the range taken as the nearest possible");
  writer.Event(begin.time, Ps(fields.duration_ps), name);
}

}  // namespace gait::xplane
