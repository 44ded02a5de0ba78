#include "gait/timeline/derive/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/device/work_class.h"
#include "gait/analyze/question/memory/allocators.h"
#include "gait/analyze/vocabulary/scope_name.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {
namespace {

// What the names on a device's tracks tell.
struct OfDevice {
  std::vector<bool> seen;  // by name
  uint32_t scopes = 0;     // how deep they nest; 0: no work is of a program
  bool communicates = false;
  std::set<analyze::CopyKind> copies{};
};

using ScopesOfPrograms = std::map<const Program*, analyze::ProgramScopes>;

void Look(const Book& book, uint32_t id, ScopesOfPrograms& scopes, OfDevice& device) {
  const SliceName& name = *book.names[id];
  const SliceClass is = book.details[id].slice_class;
  if (is == SliceClass::kCopy) device.copies.insert(analyze::KindOfCopy(name.text(), {}, std::nullopt));
  device.communicates |= is == SliceClass::kCommunication;
  if (!name.instruction.valid()) return;
  const Program& program = name.trace->programs()[name.instruction.program.value];
  // The class of a name is that of its example, which may be on a thread.
  const Instruction& instruction = program.instructions[name.instruction.instruction.value];
  device.communicates |=
      analyze::ClassOfOpcode(program.text(instruction.opcode)) == analyze::WorkClass::kCommunication;
  const analyze::ProgramScopes& of_program = scopes.try_emplace(&program, program).first->second;
  device.scopes =
      std::max(device.scopes, static_cast<uint32_t>(RowsOf(of_program.Of(name.instruction.instruction))));
}

// By group. Every event's name is looked up: threads and devices of CPU captures share names, so that one
// example of each would not tell where else it is.
std::map<uint32_t, OfDevice> LookAtNames(const Timeline& timeline, const Book& book) {
  std::map<uint32_t, OfDevice> devices;
  ScopesOfPrograms scopes;
  for (const TimelineTrack& track : timeline.captured.tracks) {
    if (!IsDeviceWork(track)) continue;
    OfDevice& device = devices[track.group];
    device.seen.resize(book.names.size());
    for (const uint32_t id : track.names) {
      if (device.seen[id]) continue;
      device.seen[id] = true;
      Look(book, id, scopes, device);
    }
  }
  return devices;
}

}  // namespace

std::vector<PlannedTrack> PlanDerived(const Timeline& timeline, const Book& book) {
  std::set<uint32_t> modules;  // groups whose capture has a line of programs
  for (const TimelineTrack& track : timeline.captured.tracks) {
    if (track.events().info().kind == TrackKind::kModules) modules.insert(track.group);
  }
  std::vector<std::vector<analyze::NamedAllocator>> allocators;
  for (const analyze::LoadedHost& host : timeline.run->hosts) {
    allocators.push_back(analyze::NamedAllocators(host.trace));
  }
  std::vector<PlannedTrack> planned;
  for (const auto& [number, device] : LookAtNames(timeline, book)) {
    const uint32_t g = number;
    const Group& group = timeline.groups[g];
    if (group.kind != GroupKind::kDevice) continue;
    const auto add = [&](const char* title, int order, uint32_t lanes) {
      planned.push_back({DerivedKey(group, title), title, title, g, order, lanes});
    };
    const auto add_counter = [&](const char* type, std::string_view of, int order) {
      std::string title = fmt::format("{} {}", type, of);
      planned.push_back({DerivedKey(group, title), std::move(title), type, g, order, 1, true});
    };
    add("steps", kStepsOrder, 1);
    if (device.scopes > 0 && !modules.contains(g)) add("programs", kProgramsOrder, 1);
    if (device.scopes > 0) add("scopes", kScopesOrder, device.scopes);
    if (device.communicates) add("collectives", kCollectivesOrder, 1);
    add("idle", kIdleOrder, 1);
    for (const analyze::CopyKind kind : device.copies) {
      if (IsDrawn(kind)) add_counter("copies", Name(kind), kCopiesOrder);
    }
    for (const analyze::NamedAllocator& allocator : allocators[group.host]) {
      if (allocator.device == group.plane) add_counter("memory", allocator.name, kMemoryOrder);
    }
  }
  return planned;
}

}  // namespace gait::timeline
