// How gait's thread for SIGTERM waits. In C, as calls of Python would stand in captures that record those;
// and with nothing on the stack that minds it when the interpreter ends the thread on its way back.
#include <poll.h>

#include <cerrno>
#include <csignal>

#include "scope.h"

namespace gait::python {
namespace {

bool HasDefaultHandler(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

// Until the pipe has bytes, or its other end is closed: true. False when the signal has the default handler;
// that is looked at again and again.
bool WaitForBytes(int pipe, int signal, int every_ms) {
  pollfd entry = {.fd = pipe, .events = POLLIN, .revents = 0};
  while (true) {
    const int ready = poll(&entry, 1, every_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (ready == 0 && HasDefaultHandler(signal)) return false;
  }
}

// wait_for_bytes(pipe, signal, every_ms) -> bool
PyObject* WaitForBytesMethod(PyObject* /*module*/, PyObject* args) {
  int pipe = 0;
  int signal = 0;
  int every_ms = 0;
  if (PyArg_ParseTuple(args, "iii", &pipe, &signal, &every_ms) == 0) return nullptr;
  bool has_bytes = false;
  Py_BEGIN_ALLOW_THREADS;
  has_bytes = WaitForBytes(pipe, signal, every_ms);
  Py_END_ALLOW_THREADS;
  return PyBool_FromLong(has_bytes ? 1 : 0);
}

PyMethodDef functions[] = {
    {"wait_for_bytes", WaitForBytesMethod, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int AddPipeWait(PyObject* module) { return PyModule_AddFunctions(module, functions); }

}  // namespace gait::python
