// The one place where an Error becomes a Python exception.
#pragma once

#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "gait/base/result.h"

namespace gait::python {

[[noreturn]] inline void Raise(const Error& error) {
  // In a terminal the hint has a line of its own.
  const char* const joint = error.what.ends_with('.') ? " " : ". ";
  const std::string text = error.hint.empty() ? error.what : error.what + joint + error.hint;
  // A usage error is the caller's mistake, the other the input's.
  const char* const name = error.kind == ErrorKind::kUsage ? "OptionError" : "GaitError";
  const nanobind::object type = nanobind::module_::import_("gait._messages").attr(name);
  PyErr_SetString(type.ptr(), text.c_str());
  throw nanobind::python_error();
}

template <typename T>
T ValueOrRaise(Result<T> result) {
  if (!result) Raise(result.error());
  return std::move(*result);
}

}  // namespace gait::python
