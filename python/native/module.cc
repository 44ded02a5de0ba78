// The module gait._native: the engine and the writer, for the Python package only.
#include <nanobind/nanobind.h>

#include "capture_job.h"
#include "run.h"

NB_MODULE(_native, module) {
  module.attr("__version__") = GAIT_VERSION;
  gait::python::BindCaptureJob(module);
  gait::python::BindRun(module);
}
