#include "gait/timeline/derive/plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/memory/allocators.h"
#include "gait/analyze/ops/scope_name.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {
namespace {

// What the names on one host's devices tell. Names are shared by devices: each gets the same rows.
struct OfHost {
  uint32_t scopes = 0;  // how deep they nest; 0: no work is of a program
  bool communicates = false;
  std::set<analyze::CopyKind> copies;
};

std::vector<OfHost> LookAtNames(const Timeline& timeline, const Book& book) {
  std::vector<OfHost> hosts(timeline.run->hosts.size());
  for (size_t id = 0; id < book.names.size(); ++id) {
    const SliceName& name = *book.names[id];
    const TimelineTrack& track = *book.tracks[name.track];
    if (!IsDeviceWork(track)) continue;
    OfHost& host = hosts[track.host];
    if (book.details[id].slice_class == SliceClass::kCopy) {
      host.copies.insert(analyze::KindOfCopy(name.text(), {}, std::nullopt));
    }
    host.communicates |= book.details[id].slice_class == SliceClass::kCommunication;
    if (!name.instruction.valid()) continue;
    const Program& program = name.trace->programs()[name.instruction.program.value];
    host.scopes = std::max(
        host.scopes, static_cast<uint32_t>(RowsOf(analyze::ScopeOf(program, name.instruction.instruction))));
  }
  return hosts;
}

}  // namespace

std::vector<PlannedTrack> PlanDerived(const Timeline& timeline, const Book& book) {
  const std::vector<OfHost> hosts = LookAtNames(timeline, book);
  std::set<uint32_t> working;  // groups
  std::set<uint32_t> modules;  // groups whose capture has a line of programs
  for (const TimelineTrack& track : timeline.captured.tracks) {
    if (IsDeviceWork(track)) working.insert(track.group);
    if (track.events().info().kind == TrackKind::kModules) modules.insert(track.group);
  }
  std::vector<std::vector<analyze::NamedAllocator>> allocators;
  for (const analyze::LoadedHost& host : timeline.run->hosts) {
    allocators.push_back(analyze::NamedAllocators(host.trace));
  }
  std::vector<PlannedTrack> planned;
  for (const uint32_t g : working) {
    const Group& group = timeline.groups[g];
    if (group.kind != GroupKind::kDevice) continue;
    const auto add = [&](const char* title, int order, uint32_t lanes) {
      planned.push_back({DerivedKey(group, title), title, title, g, order, lanes});
    };
    const auto add_counter = [&](const char* type, std::string_view of, int order) {
      std::string title = fmt::format("{} {}", type, of);
      planned.push_back({DerivedKey(group, title), std::move(title), type, g, order, 1, true});
    };
    const OfHost& host = hosts[group.host];
    add("steps", kStepsOrder, 1);
    if (host.scopes > 0 && !modules.contains(g)) add("programs", kProgramsOrder, 1);
    if (host.scopes > 0) add("scopes", kScopesOrder, host.scopes);
    if (host.communicates) add("collectives", kCollectivesOrder, 1);
    add("idle", kIdleOrder, 1);
    for (const analyze::CopyKind kind : host.copies) {
      if (IsDrawn(kind)) add_counter("copies", Name(kind), kCopiesOrder);
    }
    for (const analyze::NamedAllocator& allocator : allocators[group.host]) {
      if (allocator.device == group.plane) add_counter("memory", allocator.name, kMemoryOrder);
    }
  }
  return planned;
}

}  // namespace gait::timeline
