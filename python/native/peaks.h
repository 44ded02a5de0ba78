// What devices can do at best, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace gait::python {

void BindPeaks(nanobind::module_& module);

}  // namespace gait::python
