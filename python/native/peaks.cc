#include "peaks.h"

#include <map>
#include <string>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "gait/analyze/operations/peaks.h"

namespace nb = nanobind;

namespace gait::python {

void BindPeaks(nb::module_& module) {
  module.def(
      "peak_flops",
      [](std::string_view device_kind) {
        const analyze::Peaks peaks = analyze::PeaksOfModel(device_kind);
        std::map<std::string, double> flops;
        for (size_t i = 0; i < analyze::kMathTypes; ++i) {
          const auto type = static_cast<analyze::MathType>(i);
          if (const auto value = peaks.of(type)) flops.emplace(analyze::Name(type), *value);
        }
        return flops;
      },
      nb::arg("device_kind"), "FLOP/s of one device by data type; empty: the device is not known.");
}

}  // namespace gait::python
