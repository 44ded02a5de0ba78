#include "gait/timeline/name_details.h"

#include <array>

#include "gait/analyze/device/category.h"
#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/vocabulary/scope_name.h"

namespace gait::timeline {
namespace {

std::string_view HostCategory(analyze::HostWork work) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"compile", "peer", "callback", "input", "staging", "sync", "allocator",
                                       "garbage collection", "dispatch", "host"});
  static_assert(kNames.size() == static_cast<size_t>(analyze::HostWork::kNone) + 1);
  return kNames[static_cast<size_t>(work)];
}

SliceClass OfDerived(const std::string& type) {
  if (type == "steps") return SliceClass::kStep;
  if (type == "programs") return SliceClass::kProgram;
  if (type == "scopes") return SliceClass::kScope;
  if (type == "idle") return SliceClass::kIdle;
  if (type == "collectives") return SliceClass::kCommunication;
  return SliceClass::kCompute;
}

// Of its work, or of what else is written there, as steps and programs.
bool IsOfDevice(const TimelineTrack& track) {
  const PlaneKind kind = track.trace->plane(track.events().info().plane).kind;
  return kind == PlaneKind::kGpu || kind == PlaneKind::kTpu || kind == PlaneKind::kCpuDevice;
}

}  // namespace

bool IsDeviceWork(const TimelineTrack& track) {
  if (track.derived || track.counter) return false;
  const TrackKind kind = track.events().info().kind;
  return kind == TrackKind::kStream || kind == TrackKind::kOps || kind == TrackKind::kAsyncOps;
}

bool AreAlike(const TimelineTrack& a, const TimelineTrack& b) {
  if (a.counter || b.counter || a.derived != b.derived) return false;
  if (a.derived) return a.type == b.type;
  return IsDeviceWork(a) == IsDeviceWork(b) && IsOfDevice(a) == IsOfDevice(b);
}

NameDescriber::NameDescriber(const Timeline& timeline) {
  for (const analyze::LoadedHost& host : timeline.run->hosts) {
    classes_.push_back(std::make_unique<analyze::WorkClasses>(host.trace));
    for (const Program& program : host.trace.programs()) scopes_.try_emplace(&program, program);
  }
}

NameDetails NameDescriber::Describe(const SliceName& name, const TimelineTrack& track) const {
  NameDetails details;
  if (track.derived) {
    details.slice_class = OfDerived(track.type);
    details.category = track.type;
    return details;
  }
  if (name.instruction.valid()) {
    const Program& program = name.trace->programs()[name.instruction.program.value];
    details.operation = program.text(program[name.instruction.instruction].name);
    details.program_id = program.id;
    details.scope = scopes_.at(&program).Of(name.instruction.instruction).Text();
    details.category = analyze::Name(analyze::CategoryOf(program, name.instruction.instruction));
  }
  const TrackKind kind = track.events().info().kind;
  if (IsDeviceWork(track)) {
    details.slice_class =
        static_cast<SliceClass>((*classes_[track.host])(track.events(), name.example.index));
    if (!name.instruction.valid()) details.category = analyze::Name(analyze::CategoryOfKernel(name.text()));
  } else if (kind == TrackKind::kModules) {
    details.slice_class = SliceClass::kProgram;
    details.category = "programs";
  } else if (kind == TrackKind::kSteps) {
    details.slice_class = SliceClass::kStep;
    details.category = "steps";
  } else {
    const analyze::HostWork work = analyze::WorkOfName(name.text());
    details.slice_class = work == analyze::HostWork::kCompile ? SliceClass::kCompile : SliceClass::kHost;
    if (details.category.empty()) details.category = HostCategory(work);
  }
  return details;
}

}  // namespace gait::timeline
