#include "gait/analyze/question/transfers/copies.h"

#include <algorithm>
#include <unordered_map>

#include "gait/analyze/device/copied_memories.h"
#include "gait/analyze/vocabulary/runtime_events.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

bool Touches(const IntervalSet& windows, Interval time) {
  const auto next = std::ranges::upper_bound(windows, time.begin, {}, &Interval::end);
  if (next == windows.end()) return false;
  return time.empty() ? next->contains(time.begin) : next->begin < time.end;
}

// Argument sets that have an argument, by ArgSetId.
std::vector<bool> SetsWith(const Trace& trace, std::initializer_list<std::string_view> keys) {
  std::vector<bool> found(trace.arg_sets().size(), false);
  for (const std::string_view key : keys) {
    const auto id = trace.strings().Find(key);
    if (!id) continue;
    for (size_t s = 0; s < found.size(); ++s) {
      const auto set = trace.arg_sets()[ArgSetId(s)];
      if (std::ranges::find(set, *id, &ArgEntry::key) != set.end()) found[s] = true;
    }
  }
  return found;
}

CopyDetails DetailsOf(const Trace& trace, EventRef event) {
  for (const std::string_view key : {"memcpy_details", "Memset_details"}) {
    if (const auto text = trace.String(event, key)) return ParseCopyDetails(*text);
  }
  return {};
}

void FindOnGpu(const HostView& host, size_t d, const std::vector<bool>& copy_names,
               const std::vector<bool>& with_details, std::vector<Copy>& copies) {
  const Trace& trace = host.trace();
  const Device& device = host.devices[d];
  const auto ordinal = trace.plane(device.plane).ordinal;
  for (const TrackId id : device.work) {
    const Track& track = trace.track(id);
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex index(i);
      if (!copy_names[track.name(index).value] && !with_details[track.args(index).value]) continue;
      const EventRef event{id, index};
      Copy copy;
      copy.counts = Touches(host.windows[d], track.interval(index));
      copy.event = event;
      copy.device = d;
      copy.time = track.interval(index);
      copy.call = host.launches.Call(device, id, index);
      CopyDetails details = DetailsOf(trace, event);
      copy.kind = KindOfCopy(trace.name(event), details, ordinal);
      if (copy.call) {
        // The host's own record knows less: take from it what the device's does not say.
        const CopyDetails asked = DetailsOf(trace, *copy.call);
        if (!details.bytes) details.bytes = asked.bytes;
        if (copy.kind == CopyKind::kUnknown) copy.kind = KindOfCopy(trace.name(*copy.call), details, ordinal);
      }
      copy.bytes = details.bytes;
      copy.host_memory = details.host_memory();
      const Attribution found = trace.attribution(track.args(index));
      copy.instruction = found.instruction;
      copy.in_program = found.kind != AttributionKind::kNone;
      copies.push_back(copy);
    }
  }
}

// From which memory to which an instruction copies.
CopyKind KindOfInstruction(const Program& program, const Instruction& instruction) {
  const std::string_view opcode = program.text(instruction.opcode);
  if (opcode == "infeed") return CopyKind::kHostToDevice;
  if (opcode == "outfeed") return CopyKind::kDeviceToHost;
  const auto between = CopiedMemoriesOf(program, instruction);
  if (!between) return CopyKind::kUnknown;
  if (between->to_host) return between->from_host ? CopyKind::kHostToHost : CopyKind::kDeviceToHost;
  return between->from_host ? CopyKind::kHostToDevice : CopyKind::kDeviceToDevice;
}

std::optional<int64_t> BytesOfInstruction(const Program& program, const Instruction& instruction) {
  ShapeId shape = instruction.shape;
  if (program.text(instruction.opcode) == "outfeed") {
    if (instruction.operands.empty()) return std::nullopt;
    shape = program[instruction.operands[0]].shape;
  } else if (shape.valid() && !program.shape(shape).elements.empty()) {
    shape = program.shape(shape).elements[0];
  }
  return shape.valid() ? program.ByteSize(shape) : std::nullopt;
}

// Copies that a program of a TPU makes. Asynchronous ones last from copy-start to copy-done: they are on the
// line of asynchronous operations.
void FindInPrograms(const HostView& host, size_t d, std::vector<Copy>& copies) {
  const Trace& trace = host.trace();
  const Device& device = host.devices[d];
  for (const TrackId id : device.work) {
    const Track& track = trace.track(id);
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex index(i);
      InstructionRef ref = trace.attribution(track.args(index)).instruction;
      if (!ref.valid()) continue;
      const Program& program = trace.programs()[ref.program.value];
      // The line of asynchronous operations names the whole copy after its end.
      if (track.info().kind == TrackKind::kAsyncOps) ref.instruction = Beginning(program, ref.instruction);
      const Instruction& instruction = program[ref.instruction];
      const std::string_view opcode = program.text(instruction.opcode);
      const bool in_flight = opcode == "copy-start" && track.info().kind == TrackKind::kAsyncOps;
      if (!in_flight && opcode != "infeed" && opcode != "outfeed") continue;
      const Interval time = track.interval(index);
      Copy copy;
      copy.counts = Touches(host.windows[d], time);
      copy.event = {id, index};
      copy.device = d;
      copy.time = time;
      copy.kind = KindOfInstruction(program, instruction);
      copy.bytes = BytesOfInstruction(program, instruction);
      copy.instruction = ref;
      copy.in_program = true;
      copies.push_back(copy);
    }
  }
}

// Transfers that the runtime of a TPU writes as events of the host, with their size: from the call to the
// last event that continues it on other threads.
void FindReported(const HostView& host, std::vector<Copy>& copies) {
  const Trace& trace = host.trace();
  std::vector<CopyKind> kinds(trace.strings().size(), CopyKind::kUnknown);
  bool any = false;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::string_view name = trace.text(StringId(i));
    if (Is(RuntimeCall::kToDevice, name)) kinds[i] = CopyKind::kHostToDevice;
    if (Is(RuntimeCall::kFromDevice, name)) kinds[i] = CopyKind::kDeviceToHost;
    any |= kinds[i] != CopyKind::kUnknown;
  }
  if (!any || host.windows.empty()) return;
  std::unordered_map<uint64_t, Ps> ends;  // by flow id: when the last of it ended
  const std::vector<bool> continues = SetsWith(trace, {"_c"});
  std::vector<Copy> found;
  std::vector<std::optional<uint64_t>> flows;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      if (continues[track.args(event.index).value]) {
        if (const auto id = trace.Integer(event, "_c")) {
          Ps& end = ends[static_cast<uint64_t>(*id)];
          end = std::max(end, track.end(event.index));
        }
      }
      const CopyKind kind = kinds[track.name(event.index).value];
      if (kind == CopyKind::kUnknown) continue;
      Copy copy;
      copy.kind = kind;
      copy.event = event;
      copy.call = event;
      copy.time = track.interval(event.index);
      const auto bytes = trace.Integer(event, "size");
      if (bytes && *bytes > 0 && *bytes <= kMostBytes) copy.bytes = bytes;
      found.push_back(copy);
      const auto id = trace.Integer(event, "_p");
      flows.push_back(id ? std::optional(static_cast<uint64_t>(*id)) : std::nullopt);
    }
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (flows[i]) {
      const auto end = ends.find(*flows[i]);
      if (end != ends.end()) found[i].time.end = std::max(found[i].time.end, end->second);
    }
    found[i].counts = std::ranges::any_of(
        host.windows, [&](const IntervalSet& windows) { return Touches(windows, found[i].time); });
    copies.push_back(found[i]);
  }
}

}  // namespace

std::vector<Copy> FindCopies(const HostView& host) {
  const Trace& trace = host.trace();
  std::vector<Copy> copies;
  std::vector<bool> copy_names(trace.strings().size());
  for (size_t i = 0; i < copy_names.size(); ++i) {
    copy_names[i] = ClassOfKernel(trace.text(StringId(i))) == WorkClass::kCopy;
  }
  const std::vector<bool> with_details = SetsWith(trace, {"memcpy_details", "Memset_details"});
  bool tpu = false;
  for (size_t d = 0; d < host.devices.size(); ++d) {
    const PlaneKind kind = trace.plane(host.devices[d].plane).kind;
    if (kind == PlaneKind::kGpu) FindOnGpu(host, d, copy_names, with_details, copies);
    if (kind == PlaneKind::kTpu) FindInPrograms(host, d, copies);
    tpu |= kind == PlaneKind::kTpu;
  }
  if (tpu) FindReported(host, copies);
  std::ranges::stable_sort(copies, {}, [](const Copy& copy) { return copy.time.begin; });
  return copies;
}

}  // namespace gait::analyze
