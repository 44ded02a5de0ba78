// Scaling: how much speed the added devices gave, and where the rest went.
//
// Runs are ordered by their number of devices; the smallest, with n1 devices and step t1, is the base. With
// k = n / n1 a run of n devices should take
//   strong scaling   ideal = t1 / k     the same work on more devices
//   weak scaling     ideal = t1         work that grows with the devices
//   speed-up         strong: t1 / t     weak: k t1 / t
//   efficiency       speed-up / k
//   loss             t - ideal, of a step
//
// The loss has parts: for each part of a step (per device, mean over devices), its time beyond its share of
// the ideal. Exposed communication is split into waiting for the last device to join and the exchange itself.
// Identity: the parts sum to the loss, exactly (partial sums are rounded, not parts).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/run/what_ran.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"

namespace gait::analyze {

enum class ScalingPart : uint8_t { kCompute, kExchange, kWait, kCopies, kIdle };
inline constexpr size_t kScalingParts = 5;
std::string_view Name(
    ScalingPart part);  // "compute", "communication", "waiting for devices", "copies", "idle"

using ScalingParts = std::array<Ps, kScalingParts>;

// One kind of collective, of a step.
struct ScalingCollective {
  std::string kind;
  Ps exposed;       // mean over devices
  Ps wait;          // mean over devices; those of all kinds sum to the run's part
  Ps longest_wait;  // of the device that waited longest
};

// The facts that scaling needs of a run.
struct ScalingRun {
  std::string name;
  WhatRan ran{};
  int64_t devices = 0;
  int64_t idle_devices = 0;  // of the capture that did nothing
  int64_t asked = 0;         // devices that the run was started with; 0: nobody asked
  int64_t steps = 0;         // complete ones, of a device; 0: the whole capture counts as one
  Ps step;
  std::optional<Ps> noise;       // of the step, over its steps: NoiseOf
  int64_t warm = 0;              // of the steps: those in which nothing was compiled
  std::optional<Ps> warm_step;   // their mean; nullopt: there is none
  std::optional<Ps> warm_noise;  // as above, of these
  ScalingParts parts{};          // sum to the step
  uint64_t collectives = 0;      // executions
  uint64_t compiles = 0;         // inside the steps
  int64_t largest_group = 0;    // devices that took part in one collective, as the program says; 0: not known
  int64_t other_processes = 0;  // that computed on a device of the run meanwhile, as the driver says
  std::vector<ScalingCollective> kinds;

  // Why the run is not isolated; empty: it is isolated. In an isolated run all devices that were asked for
  // worked, and no other device did; several devices worked together, and with no device outside the capture;
  // and no device worked for another process.
  std::string NotIsolatedBecause() const;
  bool verified() const { return NotIsolatedBecause().empty(); }
};
// How far the mean of steps may be off by chance: twice its standard error; nullopt: fewer than two steps.
std::optional<Ps> NoiseOf(const std::vector<Ps>& steps);

ScalingRun ScalingRunOf(const RunView& view);

// `own`, with each run of `sample` as one more step of it, and means of theirs.
ScalingRun Pooled(ScalingRun own, const std::vector<ScalingRun>& sample);
// The facts of runs that are to be compared: those of a block that was captured more than once are pooled
// (block_sample.h), which the notes say. An error for a run in which no device did anything.
Result<std::vector<ScalingRun>> ScalingRunsOf(const std::vector<const RunView*>& views,
                                              std::vector<std::string>& notes);

struct ScalingRow {
  const ScalingRun* run;
  Ps ideal;
  Ps loss;
  ScalingParts parts{};  // sum to the loss
  double speedup = 1;
  double efficiency = 1;
};

enum class ScalingKind : uint8_t { kStrong, kWeak };

// In order of devices; the base first. At least one run; the runs must outlive the result.
//
// Steps can only be compared with steps, and whole captures with whole captures (Comparable).
std::vector<ScalingRow> Scale(const std::vector<ScalingRun>& runs, ScalingKind kind);
bool Comparable(const std::vector<ScalingRow>& rows);

}  // namespace gait::analyze
