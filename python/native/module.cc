// The module gait._native: the engine and the writer, for the Python package only.
#include <nanobind/nanobind.h>

#include "file_writer.h"
#include "peaks.h"
#include "recording.h"
#include "run.h"

NB_MODULE(_native, module) {
  // What still lives at the end of the process goes with it; nobody wants to read about it in a training log.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = GAIT_VERSION;
  gait::python::BindRecording(module);
  gait::python::BindFileWriter(module);
  gait::python::BindRun(module);
  gait::python::BindPeaks(module);
}
