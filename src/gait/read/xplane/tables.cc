#include "gait/read/xplane/tables.h"

#include <protozero/pbf_reader.hpp>

#include "gait/base/limits.h"
#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"

namespace gait::xplane {
namespace {

using protozero::pbf_reader;

std::string_view View(const protozero::data_view& view) { return {view.data(), view.size()}; }

void Unresolved(const PlaneTables& tables, LossLog& losses, std::string_view place, std::string_view reason) {
  losses.Add(LossKind::kUnresolved, place, tables.cut_place.empty() ? reason : kLostToTheCut);
}

struct MapEntry {
  std::optional<int64_t> key;
  std::string_view value;
};

// Entries may be cut at the end of a damaged file, so they are walked leniently.
MapEntry ReadMapEntry(std::string_view message) {
  MapEntry entry;
  FieldWalker fields(message);
  while (fields.Next()) {
    if (fields.number() == map_entry::kKey) entry.key = fields.integer();
    if (fields.number() == map_entry::kValue) entry.value = fields.bytes();
  }
  return entry;
}

void ReadStatMetadata(std::string_view message, PlaneTables& tables, TraceBuilder& builder) {
  MapEntry entry = ReadMapEntry(message);
  std::string_view name;
  FieldWalker fields(entry.value);
  while (fields.Next()) {
    if (fields.number() == stat_metadata::kId && !entry.key) entry.key = fields.integer();
    if (fields.number() == stat_metadata::kName) name = fields.bytes();
  }
  tables.stat_names.Add(entry.key.value_or(0), builder.Intern(name));
}

// The value of a stat as an argument, its strings interned; nullopt for a reference to nothing.
std::optional<ArgValue> Resolve(const Stat& stat, const PlaneTables& tables, TraceBuilder& builder) {
  if (stat.is_ref) {
    const StringId* text = tables.stat_names.Find(static_cast<int64_t>(stat.value.bits));
    if (!text) return std::nullopt;
    return ArgValue::String(*text);
  }
  if (!stat.is_inline) return stat.value;
  return ArgValue{stat.value.type, builder.Intern(stat.text).value};
}

void ReadEventMetadata(std::string_view message, PlaneTables& tables, TraceBuilder& builder, LossLog& losses,
                       std::string_view place, StringId display_name_key, StringId metadata_key) {
  MapEntry entry = ReadMapEntry(message);
  EventMetadata metadata;
  ProgramBytes program;
  FieldWalker fields(entry.value);
  while (fields.Next()) {
    switch (fields.number()) {
      case event_metadata::kId:
        if (!entry.key) entry.key = fields.integer();
        break;
      case event_metadata::kName:
        metadata.name = builder.Intern(fields.bytes());
        program.name = fields.bytes();
        break;
      case event_metadata::kDisplayName:
        if (fields.bytes().empty()) break;
        metadata.shared.push_back(
            {display_name_key, ArgType::kString, false, builder.Intern(fields.bytes()).value});
        break;
      case event_metadata::kMetadata:
        if (fields.bytes().empty()) break;
        metadata.shared.push_back(
            {metadata_key, ArgType::kBytes, false, builder.Intern(fields.bytes()).value});
        break;
      case event_metadata::kStats: {
        if (metadata.shared.size() >= limits::kMaxArgsPerEvent) {
          losses.Add(LossKind::kCapped, place, "arguments beyond the limit");
          break;
        }
        // The program of the metadata plane: megabytes that are no argument. It may be the entry that the
        // file ends in.
        Stat stat;
        FieldWalker stat_fields(fields.bytes());
        std::string_view bytes;
        int64_t stat_id = 0;
        while (stat_fields.Next()) {
          if (stat_fields.number() == stat::kMetadataId) stat_id = stat_fields.integer();
          if (stat_fields.number() == stat::kBytes) bytes = stat_fields.bytes();
        }
        const StringId* name = tables.stat_names.Find(stat_id);
        const std::string_view key = name ? builder.trace().text(*name) : std::string_view();
        const bool hlo = key == "Hlo Proto" || key == "hlo_proto" || (!name && bytes.size() > 1024);
        if (hlo && !bytes.empty()) {
          program.proto = bytes;
          break;
        }
        try {
          stat = DecodeStat(fields.bytes());
        } catch (const protozero::exception&) {
          losses.Add(LossKind::kDropped, place, "unreadable argument of an event name");
          break;
        }
        const std::optional<ArgValue> value = Resolve(stat, tables, builder);
        if (!name || !value) {
          Unresolved(tables, losses, place, "argument with an unknown id");
          break;
        }
        if (key == "program_id") program.program_id = static_cast<uint64_t>(value->integer().value_or(0));
        metadata.shared.push_back({*name, value->type, false, value->bits});
        break;
      }
      default:
        break;
    }
  }
  if (!program.proto.empty()) tables.programs.push_back(program);
  tables.events.Add(entry.key.value_or(0), std::move(metadata));
}

void ReadPlaneStat(std::string_view message, PlaneTables& tables, TraceBuilder& builder, LossLog& losses,
                   std::string_view place) {
  try {
    const Stat stat = DecodeStat(message);
    const StringId* name = tables.stat_names.Find(stat.metadata_id);
    if (!name || name->value == 0) {
      tables.unnamed_stats.emplace_back(stat.metadata_id, stat.value.integer().value_or(0));
    } else if (const auto value = Resolve(stat, tables, builder)) {
      tables.args.push_back({*name, *value});
    } else {
      Unresolved(tables, losses, place, "plane argument with an unknown string id");
    }
  } catch (const protozero::exception&) {
    losses.Add(LossKind::kDropped, place, "unreadable plane argument");
  }
}

}  // namespace

// Of several values the last one counts, so each takes the place of all that the others set.
Stat DecodeStat(std::string_view message) {
  Stat result;
  pbf_reader fields(message.data(), message.size());
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case protozero::tag_and_type(stat::kMetadataId, protozero::pbf_wire_type::varint):
        result.metadata_id = fields.get_int64();
        break;
      case protozero::tag_and_type(stat::kDouble, protozero::pbf_wire_type::fixed64):
        result = {result.metadata_id, ArgValue::Double(fields.get_double())};
        break;
      case protozero::tag_and_type(stat::kUint64, protozero::pbf_wire_type::varint):
        result = {result.metadata_id, ArgValue::Uint(fields.get_uint64())};
        break;
      case protozero::tag_and_type(stat::kInt64, protozero::pbf_wire_type::varint):
        result = {result.metadata_id, ArgValue::Int(fields.get_int64())};
        break;
      case protozero::tag_and_type(stat::kString, protozero::pbf_wire_type::length_delimited):
        result = {result.metadata_id, {ArgType::kString, 0}, View(fields.get_view()), true};
        break;
      case protozero::tag_and_type(stat::kBytes, protozero::pbf_wire_type::length_delimited):
        result = {result.metadata_id, {ArgType::kBytes, 0}, View(fields.get_view()), true};
        break;
      case protozero::tag_and_type(stat::kRef, protozero::pbf_wire_type::varint):
        result = {result.metadata_id, ArgValue::Uint(fields.get_uint64()), {}, false, true};
        break;
      default:
        fields.skip();
    }
  }
  return result;
}

PlaneTables ReadTables(const PlaneIndex& index, TraceBuilder& builder, LossLog& losses) {
  PlaneTables tables;
  if (!index.cut.empty()) tables.cut_place = index.place;
  for (const std::string_view entry : index.stat_metadata) ReadStatMetadata(entry, tables, builder);
  tables.stat_names.Build();
  const StringId display_name_key = builder.Intern("display_name");
  const StringId metadata_key = builder.Intern("metadata");
  for (const std::string_view entry : index.event_metadata) {
    ReadEventMetadata(entry, tables, builder, losses, index.place, display_name_key, metadata_key);
  }
  if (index.entry_cut) {
    const bool in_program =
        !tables.programs.empty() && index.event_metadata.back().data() <= tables.programs.back().proto.data();
    if (in_program) {
      tables.programs.back().cut = CutText(index.cut, "this program");
    } else {
      losses.Add(LossKind::kTruncated, index.place, CutText(index.cut, "this plane"));
    }
  }
  tables.events.Build();
  for (const std::string_view message : index.stats)
    ReadPlaneStat(message, tables, builder, losses, index.place);
  return tables;
}

}  // namespace gait::xplane
