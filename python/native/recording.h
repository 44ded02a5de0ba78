// Binds capture::Recording, its sources and the writer of files.
#pragma once

#include <nanobind/nanobind.h>

namespace gait::python {

void BindRecording(nanobind::module_& module);

}  // namespace gait::python
