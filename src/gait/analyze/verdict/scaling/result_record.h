// The result of one configuration as a file, with the keys that existing scripts write (docs/verbs/scale.md):
// gpu_count, n_qubit, timestamp, isolation_verified, initial_gpu_memory, final_gpu_memory, step_timing,
// memory_profiles, total_params, and for each series of steps unitary_grad_NAME with execution_time, success
// (the value of isolation_verified), tensorboard_trace and warm_time.
//
// gait adds isolation_failed_because, and for each series warm_steps and warm_time_noise, twice the standard
// error of warm_time. Times are in seconds, sizes in bytes. Values that a capture cannot tell (n_qubit,
// total_params) are null.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/analyze/verdict/scaling/scaling.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct Configuration {
  int64_t devices = 0;                       // that were asked for
  std::string stamp;                         // shared by all configurations
  std::string folder;                        // of the capture
  std::vector<std::string> memory_profiles;  // beside it
};

// "profile_2gpu_results.json"
std::string ResultFileName(int64_t devices);

// `run` is the view's, or that of all captures of its block (Pooled): isolation_verified is its `verified`,
// and of several captures the times are its own.
std::string ResultRecord(const RunView& view, const ScalingRun& run, const Configuration& configuration);

}  // namespace gait::analyze
