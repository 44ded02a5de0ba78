// --peak-tflops and --peak-gbps: what a person knows of the device better than gait.
#pragma once

#include <cmath>
#include <optional>

#include <CLI/App.hpp>

#include "gait/analyze/roofline/peaks.h"
#include "gait/base/result.h"

namespace gait::cli {

class PeakOptions {
 public:
  void Add(CLI::App& app) {
    app.add_option("--peak-tflops", tflops_, "of one device, instead of what gait knows")
        ->group("What")
        ->type_name("N");
    app.add_option("--peak-gbps", gbps_, "memory bandwidth of one device in GB/s")
        ->group("What")
        ->type_name("N");
  }

  Result<void> Check() const {
    for (const auto& value : {tflops_, gbps_}) {
      if (value && !(std::isfinite(*value) && *value > 0)) {
        return UsageError("a peak is a number above 0.", "For an H200: --peak-tflops 989 --peak-gbps 4800");
      }
    }
    return {};
  }

  analyze::PeakOverride given() const {
    analyze::PeakOverride given;
    if (tflops_) given.flops = *tflops_ * 1e12;
    if (gbps_) given.bytes_per_second = *gbps_ * 1e9;
    return given;
  }

 private:
  std::optional<double> tflops_;
  std::optional<double> gbps_;
};

}  // namespace gait::cli
