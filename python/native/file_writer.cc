#include "file_writer.h"

#include <optional>

#include "gait/base/file_writer.h"

namespace nb = nanobind;

namespace gait::python {
namespace {

// What cannot be written is what Python calls an OSError, wherever it happens.
template <typename T>
T ValueOrRaiseOsError(Result<T> result) {
  if (!result) {
    const Error& error = result.error();
    PyErr_SetString(PyExc_OSError, (error.hint.empty() ? error.what : error.what + " " + error.hint).c_str());
    throw nb::python_error();
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class PyFileWriter {
 public:
  PyFileWriter(const nb::bytes& path, bool only_own)
      : writer_(ValueOrRaiseOsError(
            FileWriter::Open(std::string(path.c_str(), path.size()), 0, {.only_own = only_own}))) {}

  void Write(const nb::bytes& piece) {
    ValueOrRaiseOsError(Writer().Write({static_cast<const char*>(piece.data()), piece.size()}));
  }
  void Commit() {
    Result<void> committed = Writer().Commit();
    writer_.reset();
    ValueOrRaiseOsError(std::move(committed));
  }
  void Discard() { writer_.reset(); }

 private:
  FileWriter& Writer() {
    if (!writer_) throw nb::value_error("the file is written or given up");
    return *writer_;
  }
  std::optional<FileWriter> writer_;
};

}  // namespace

void BindFileWriter(nb::module_& module) {
  nb::class_<PyFileWriter>(module, "FileWriter")
      .def(nb::init<const nb::bytes&, bool>(), nb::arg("path"), nb::kw_only(), nb::arg("only_own") = false)
      .def("write", &PyFileWriter::Write, nb::arg("piece"))
      .def("commit", &PyFileWriter::Commit)
      .def("discard", &PyFileWriter::Discard);
}

}  // namespace gait::python
