// What the annotations know of JAX. The hot path asks it two questions, each one call of a native function of
// jaxlib: is anybody recording, and is JAX staging out a program on this thread.
#pragma once

#include <Python.h>

namespace gait::python {

// What is called in every scope, without the questions that PyObject_Vectorcall asks of every callable.
struct QuickCall {
  PyObject* callable = nullptr;
  vectorcallfunc function = nullptr;  // null: it has none, or Python does not tell

  explicit operator bool() const { return callable != nullptr; }
  PyObject* operator()(PyObject* const* arguments, size_t count) const {
    return function != nullptr ? function(callable, arguments, count, nullptr)
                               : PyObject_Vectorcall(callable, arguments, count, nullptr);
  }
};

struct JaxHooks {
  PyObject* trace_me = nullptr;        // jaxlib's TraceMe, the type
  PyObject* trace_me_enter = nullptr;  // its methods, unbound; null: making one begins the event,
  PyObject* trace_me_exit = nullptr;   // letting go of it ends it
  QuickCall is_enabled;                // () -> bool: a session records
  QuickCall trace_get;                 // (trace_state) -> the current trace of this thread
  PyObject* trace_state = nullptr;     // its argument; null: trace_get() says itself whether JAX stages out
  PyObject* eval_trace = nullptr;      // the trace of code that is not staged out
  PyObject* named_scope = nullptr;     // jax.named_scope
};

// Filled by bind(); empty until the program has imported JAX.
extern JaxHooks hooks;

// Called while nothing is bound: looks whether JAX is there by now and binds it. -1 with an exception set.
int BindWhenImported();

// 1, 0 or -1 with an exception set.
inline int IsRecording() {
  if (!hooks.is_enabled) {
    const int bound = BindWhenImported();
    if (bound <= 0) return bound;
  }
  PyObject* const enabled = hooks.is_enabled(nullptr, 0);
  if (enabled == nullptr) return -1;
  const int recording = enabled == Py_True;
  Py_DECREF(enabled);
  return recording;
}

// Whether a name should go onto JAX's name stack. Only after IsRecording(), which binds.
inline int IsStaging() {
  if (!hooks.trace_get) return 0;
  PyObject* arguments[] = {hooks.trace_state};
  PyObject* const trace = hooks.trace_get(arguments, hooks.trace_state == nullptr ? 0 : 1);
  if (trace == nullptr) return -1;
  const int staging = trace != hooks.eval_trace && trace != Py_None && trace != Py_False;
  Py_DECREF(trace);
  return staging;
}

// Events begun by one `with`, until its end.
struct OpenEvents {
  PyObject* trace_me = nullptr;
  PyObject* named_scope = nullptr;

  // Ends both, whatever the first one says. -1 with an exception set.
  int End();
};

// A string as an event can hold it: without halves of surrogate pairs, which are `?`. A new reference; null
// with an exception set.
PyObject* Encodable(PyObject* text);

// Begins an event of this name, with stats (a dict, or null), in the session and on the name stack as wanted.
int Begin(OpenEvents& events, PyObject* name, PyObject* stats, bool recording, bool staging);
// The same with the stats of a step, as StepTraceAnnotation writes them.
int BeginStep(OpenEvents& events, PyObject* name, PyObject* number, PyObject* stats);

int AddScopeType(PyObject* module);
int AddStepType(PyObject* module);
int AddLaunchHook(PyObject* module);
int AddPipeWait(PyObject* module);

// Takes a new value over and lets the old one go. (Py_XSETREF is not part of the stable ABI.)
inline void Replace(PyObject*& slot, PyObject* value) {
  PyObject* const old = slot;
  slot = value;
  Py_XDECREF(old);
}

// Functions of several signatures, as PyMethodDef wants them.
template <typename Function>
PyCFunction AsMethod(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// (callable) -> the same callable, annotated; set from Python.
extern PyObject* decorate;

}  // namespace gait::python
