// Reading: runs, and what the verbs answer about them, as tables for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace gait::python {

void BindRun(nanobind::module_& module);

}  // namespace gait::python
