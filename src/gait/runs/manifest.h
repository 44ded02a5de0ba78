// Manifest: the file gait.json, which gait's own capture writes beside the profile. Only the parts that
// reports need are read.
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

  // The settings that the compilation depends on, beside the code: XLA_FLAGS, LIBTPU_INIT_ARGS and values of
  // jax.config, by name. nullopt: there is no manifest, or the manifest does not say.
  std::optional<std::map<std::string, std::string>> flags{};

  // Launches whose end is not in the capture, by program.
  std::map<std::string, uint64_t> launches_without_end{};

  // The steps before and after the capture together, weighted by their number; nullopt when there are none.
  std::optional<UncapturedSteps> Uncaptured() const;
};

// Reads the manifest of the run's folder, or of the folder of a bare file. An empty manifest when there is no
// file; an error for a file that is no manifest.
Result<Manifest> ReadManifest(const Run& run);
// Parses the text of a manifest.
Result<Manifest> ParseManifest(std::string_view json);

}  // namespace gait::runs
