// FileWriter for Python: files of the package that are there whole or not at all.
#pragma once

#include <nanobind/nanobind.h>

namespace gait::python {

void BindFileWriter(nanobind::module_& module);

}  // namespace gait::python
