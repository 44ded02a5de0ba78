// Names of slices. A name id stands for a name together with the instruction of the slice. So a kernel that
// twelve layers use has twelve ids, each with a scope and a category.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/page_arena.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::timeline {

// The class of a slice, for its colour. The work classes of devices come first (analyze/device/work_class.h).
enum class SliceClass : uint8_t {
  kCompute,
  kCommunication,
  kCopy,
  kUnknown,
  kControl,
  kHost,
  kCompile,
  kIdle,
  kStep,
  kProgram,
  kScope,
};
inline constexpr size_t kSliceClasses = 11;
std::string_view Name(SliceClass c);

struct SliceName {
  const Trace* trace = nullptr;
  uint32_t track = 0;          // where the example is: number of the timeline's track
  EventRef example;            // one slice of that name
  InstructionRef instruction;  // invalid: it executes none
  Ps time;                     // of all slices of that name in the set

  std::string_view text() const { return trace->name(example); }
};

// Ids for all events of some tracks. Ids begin at `first` and are in order of falling time: the first id is
// the name with the most time.
struct NamedTracks {
  std::vector<SliceName> names;
  std::vector<std::span<uint32_t>> ids;  // by track given, by event; in the arena
};

struct TrackToName {
  const Trace* trace;
  TrackId track;
};

// The same program on several hosts is one program. O(events), on all threads.
NamedTracks NameTracks(const std::vector<TrackToName>& tracks, uint32_t first, PageArena& arena);

}  // namespace gait::timeline
