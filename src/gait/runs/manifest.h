// Manifest: what gait's own capture writes beside the profile (gait.json). Only what reports need is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "gait/base/result.h"
#include "gait/base/units.h"
#include "gait/runs/run.h"

namespace gait::runs {

// Steps that ran near the capture without being captured.
struct UncapturedSteps {
  int64_t steps = 0;
  Ps median;               // time from step to step
  std::optional<Ps> mean;  // not in older manifests
};

struct Manifest {
  std::optional<UncapturedSteps> before;
  std::optional<UncapturedSteps> after;
  std::optional<std::string> uncaptured_name{};  // whose period that is; nullopt: not in older manifests
  bool collections = false;  // every garbage collection of Python is an event of the capture

  // What decides how the program was compiled beside its code: XLA_FLAGS, LIBTPU_INIT_ARGS and values of
  // jax.config, by name. nullopt: the manifest, or there is none, does not say.
  std::optional<std::map<std::string, std::string>> flags{};

  // Launches that the capture did not see the end of, by program.
  std::map<std::string, uint64_t> launches_without_end{};

  // Of both sides, each as often as it has steps; nullopt when there is none.
  std::optional<UncapturedSteps> Uncaptured() const;
};

// Of the run's folder, or of the folder of a bare file; an empty one when there is none. An error for a file
// that is no manifest.
Result<Manifest> ReadManifest(const Run& run);
// The text of a manifest.
Result<Manifest> ParseManifest(std::string_view json);

}  // namespace gait::runs
