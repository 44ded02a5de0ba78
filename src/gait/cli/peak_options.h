// --peak-tflops and --peak-gbps: peaks of the device that a person knows better than gait.
#pragma once

#include <CLI/App.hpp>

#include "gait/verbs/question.h"

namespace gait::cli {

inline void AddPeakOptions(CLI::App& app, analyze::Question& question) {
  app.add_option("--peak-tflops", question.peak_tflops, "of one device, instead of what gait knows")
      ->group("What")
      ->type_name("N");
  app.add_option("--peak-gbps", question.peak_gbps, "memory bandwidth of one device in GB/s")
      ->group("What")
      ->type_name("N");
}

}  // namespace gait::cli
