#include "gait/serve/slice_json.h"

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/instruction_source.h"
#include "gait/analyze/vocabulary/scope_name.h"
#include "gait/report/json_writer.h"
#include "gait/trace/program_text.h"

namespace gait::serve {
namespace {

constexpr uint64_t kMostExact = uint64_t{1}
                                << 53;  // that a browser reads as it is; ids of TPU programs are hashes

void Neighbours(report::JsonWriter& json, const Program& program, const std::vector<InstructionIndex>& list) {
  constexpr size_t kMost = 200;
  json.Array();
  for (size_t i = 0; i < std::min(list.size(), kMost); ++i) {
    const Instruction& other = program[list[i]];
    json.Object()
        .Field("instruction", program.text(other.name))
        .Field("opcode", program.text(other.opcode))
        .Field("shape", program.ShapeText(other.shape))
        .EndObject();
  }
  json.EndArray();
}

}  // namespace

void SliceJson(report::JsonWriter& json, const timeline::Book& book, timeline::SliceRef slice) {
  const timeline::TimelineTrack& track = *book.tracks[slice.track];
  const EventIndex event(slice.event);
  json.Object()
      .Field("track", slice.track)
      .Field("event", slice.event)
      .Field("begin", slice.begin)
      .Field("duration", track.events().duration(event))
      .Field("lane", track.events().lane(event))
      .Field("name", track.trace->name({track.track, event}))
      .Field("name_id", track.names[slice.event])
      .Field("label", track.derived ? track.title : analyze::TrackLabel(*track.trace, track.events()))
      .EndObject();
}

void OperationJson(report::JsonWriter& json, const Trace& trace, Attribution found) {
  const Program& program = trace.programs()[found.instruction.program.value];
  const InstructionIndex index = found.instruction.instruction;
  const Instruction& instruction = program[index];
  const analyze::InstructionOrigin origin = analyze::OriginOf(program, index);
  json.Object()
      .Field("program", program.name)
      .Key("program_id")
      .Raw(program.id <= kMostExact ? std::to_string(program.id) : fmt::format("\"{}\"", program.id))
      .Field("instruction", program.text(instruction.name))
      .Field("opcode", program.text(instruction.opcode))
      .Key("kind")
      .TextOrNull(program.text(instruction.fusion_kind))
      .Key("target")
      .TextOrNull(program.text(instruction.custom_call_target))
      .Field("shape", program.ShapeText(instruction.shape))
      .Field("scope", analyze::ScopeOf(program, index).Text())
      .Key("op_name")
      .TextOrNull(origin.scope)
      .Key("source")
      .TextOrNull(origin.source)
      .Key("stack")
      .Array();
  for (const analyze::StackLine& line : analyze::StackOf(program, origin.frame)) {
    json.Value(line.function.empty() ? line.source : fmt::format("{} in {}", line.source, line.function));
  }
  const Cost& cost = instruction.cost;
  std::optional<double> bytes;
  if (cost.bytes_read && cost.bytes_written) bytes = *cost.bytes_read + *cost.bytes_written;
  json.EndArray()
      .Field("flops", cost.flops)
      .Field("bytes", bytes)
      .Key("unknown_because")
      .TextOrNull(program.text(cost.unknown_because))
      .Field("found", Name(found.kind))
      .Field("text", InstructionText(program, index))
      .Key("operands");
  Neighbours(json, program, instruction.operands);
  json.Key("users");
  Neighbours(json, program, Users(program, index));
  json.EndObject();
}

void DurationsJson(report::JsonWriter& json, uint64_t count, const analyze::DurationStatistics& statistics,
                   const timeline::Histogram& histogram) {
  json.Field("count", count)
      .Field("mean", statistics.mean)
      .Field("p50", statistics.p50)
      .Field("p99", statistics.p99)
      .Field("min", statistics.min)
      .Field("max", statistics.max)
      .Key("histogram")
      .Object()
      .Key("edges")
      .Array();
  for (const Ps edge : histogram.edges) json.Value(edge);
  json.EndArray().Key("counts").Array();
  for (const uint64_t bar : histogram.counts) json.Value(bar);
  json.EndArray().EndObject();
}

}  // namespace gait::serve
