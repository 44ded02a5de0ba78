// GapReason: what a person would change to close a gap of the device. The reason is finer than the cause
// (host/idle_cause.h): it depends on the host's activity and on whether the gap lies between steps. Each
// piece of idle time has one reason, so findings about the host do not overlap. docs/metrics/host_words.md
// maps reasons to causes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

enum class GapReason : uint8_t {
  kInput,         // the input pipeline
  kOnCpu,         // XLA ran a program on the host's CPU
  kStaging,       // a copy to the device: the host prepares the bytes
  kCompile,       // tracing, compiling, autotuning
  kCheckpoint,    // saving or restoring
  kEvaluation,    // evaluation, validation, and the way back from it to the steps
  kCollect,       // Python's garbage collector
  kCallback,      // a callback into Python from a program
  kFetching,      // a copy to the host: the host makes room for the bytes or unpacks them
  kSync,          // the host waited for a result, and the launch after it came late
  kBetweenSteps,  // the host did something else between two steps
  kAllocating,    // the driver allocated memory of the device, as no allocator answers so late
  kLaunching,     // inside a step the host could not launch as fast as the device ran
  kPeer,          // another device was late
  kDevice,        // between pieces of work that were launched in time
};

// The reason by all members of the piece but `reason`.
GapReason FindReason(const IdleSlice& piece);

// For a gap inside a step of a loop that waits for its steps: the time before the gap in which the host only
// waited, as far as the capture tells. Not every wait leaves an event (.item() on a CPU leaves none).
std::optional<Interval> StandstillBefore(const IdleSlice& piece);

// The host's activity during most of the claimed time: "data_loading (train.py:83 next_batch)"; empty:
// unknown, or several activities.
std::string HostDoing(const Patient& patient, const Claims& claims);
// The same of one gap, as " in data_loading"; empty: unknown.
std::string InScene(const IdleSlice& piece);
// Whether the host was in a call of the runtime during the gap, and in no Python frame or annotation.
bool IsRuntimeOnly(const IdleSlice& piece);

}  // namespace gait::analyze
