#include "scope.h"

namespace gait::python {

JaxHooks hooks;
PyObject* decorate = nullptr;

int BindWhenImported() {
  static PyObject* const jax = PyUnicode_InternFromString("jax.profiler");
  PyObject* const modules = PyImport_GetModuleDict();
  if (modules == nullptr || PyDict_GetItemWithError(modules, jax) == nullptr) {
    return PyErr_Occurred() != nullptr ? -1 : 0;
  }
  PyObject* const binder = PyImport_ImportModule("gait._jax");
  if (binder == nullptr) return -1;
  PyObject* const bound = PyObject_CallMethod(binder, "bind_annotations", nullptr);
  Py_DECREF(binder);
  if (bound == nullptr) return -1;
  const int done = PyObject_IsTrue(bound);
  Py_DECREF(bound);
  return done;
}

int OpenEvents::End() {
  // An exception of the body is on its way through `with`: it is not set while __exit__ runs.
  int status = 0;
  if (trace_me != nullptr && hooks.trace_me_exit != nullptr) {
    PyObject* arguments[] = {trace_me, Py_None, Py_None, Py_None};
    PyObject* const done = PyObject_Vectorcall(hooks.trace_me_exit, arguments, 4, nullptr);
    if (done == nullptr) status = -1;
    Py_XDECREF(done);
  }
  Py_CLEAR(trace_me);
  if (named_scope != nullptr) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    if (status != 0) PyErr_Fetch(&type, &value, &traceback);
    PyObject* const done = PyObject_CallMethod(named_scope, "__exit__", "OOO", Py_None, Py_None, Py_None);
    if (done == nullptr) status = -1;
    Py_XDECREF(done);
    if (type != nullptr) PyErr_Restore(type, value, traceback);
    Py_CLEAR(named_scope);
  }
  return status;
}

namespace {

// Takes over `made`, which may be null after an error.
int Enter(OpenEvents& events, PyObject* made) {
  if (made == nullptr) return -1;
  if (hooks.trace_me_enter != nullptr) {
    PyObject* arguments[] = {made};
    PyObject* const entered = PyObject_Vectorcall(hooks.trace_me_enter, arguments, 1, nullptr);
    if (entered == nullptr) {
      Py_DECREF(made);
      return -1;
    }
    Py_DECREF(entered);
  }
  events.trace_me = made;
  return 0;
}

// All stats as text that an event can hold.
PyObject* EncodableStats(PyObject* stats) {
  PyObject* const result = PyDict_New();
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t place = 0;
  bool whole = result != nullptr;
  while (whole && PyDict_Next(stats, &place, &key, &value) != 0) {
    PyObject* const said = PyObject_Str(value);
    PyObject* const name = Encodable(key);
    PyObject* const text = said == nullptr ? nullptr : Encodable(said);
    whole = name != nullptr && text != nullptr && PyDict_SetItem(result, name, text) == 0;
    Py_XDECREF(said);
    Py_XDECREF(name);
    Py_XDECREF(text);
  }
  if (whole) return result;
  Py_XDECREF(result);
  return nullptr;
}

PyObject* CallTraceMe(PyObject* name, PyObject* stats) {
  PyObject* const arguments = PyTuple_Pack(1, name);
  if (arguments == nullptr) return nullptr;
  PyObject* const made = PyObject_Call(hooks.trace_me, arguments, stats);
  Py_DECREF(arguments);
  return made;
}

// A stat that jaxlib refuses, a file name that is no UTF-8 say, is no reason to end a training.
PyObject* MakeWithStats(PyObject* name, PyObject* stats) {
  PyObject* const made = CallTraceMe(name, stats);
  if (made != nullptr || PyErr_ExceptionMatches(PyExc_Exception) == 0) return made;
  PyErr_Clear();
  PyObject* const encodable = EncodableStats(stats);
  if (encodable == nullptr) return nullptr;
  PyObject* const again = CallTraceMe(name, encodable);
  Py_DECREF(encodable);
  return again;
}

int EnterNamedScope(OpenEvents& events, PyObject* name) {
  PyObject* arguments[] = {name};
  PyObject* const made = PyObject_Vectorcall(hooks.named_scope, arguments, 1, nullptr);
  if (made == nullptr) return -1;
  PyObject* const entered = PyObject_CallMethod(made, "__enter__", nullptr);
  if (entered == nullptr) {
    Py_DECREF(made);
    return -1;
  }
  Py_DECREF(entered);
  events.named_scope = made;
  return 0;
}

int BeginEncodable(OpenEvents& events, PyObject* name, PyObject* stats, bool recording, bool staging) {
  if (recording) {
    PyObject* arguments[] = {name};
    PyObject* const made = stats != nullptr ? MakeWithStats(name, stats)
                                            : PyObject_Vectorcall(hooks.trace_me, arguments, 1, nullptr);
    if (Enter(events, made) != 0) return -1;
  }
  if (staging && EnterNamedScope(events, name) != 0) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    events.End();
    PyErr_Restore(type, value, traceback);
    return -1;
  }
  return 0;
}

}  // namespace

PyObject* Encodable(PyObject* text) {
  if (PyUnicode_AsUTF8AndSize(text, nullptr) != nullptr) return Py_NewRef(text);
  if (PyErr_ExceptionMatches(PyExc_UnicodeError) == 0) return nullptr;
  PyErr_Clear();
  PyObject* const bytes = PyUnicode_AsEncodedString(text, "utf-8", "replace");
  if (bytes == nullptr) return nullptr;
  PyObject* const result = PyUnicode_FromEncodedObject(bytes, "utf-8", "strict");
  Py_DECREF(bytes);
  return result;
}

int Begin(OpenEvents& events, PyObject* name, PyObject* stats, bool recording, bool staging) {
  PyObject* const encodable = Encodable(name);
  if (encodable == nullptr) return -1;
  const int status = BeginEncodable(events, encodable, stats, recording, staging);
  Py_DECREF(encodable);
  return status;
}

int BeginStep(OpenEvents& events, PyObject* name, PyObject* number, PyObject* stats) {
  // step_num and _r are what XProf, and gait, know a step by.
  static PyObject* const keys = Py_BuildValue("(ss)", "step_num", "_r");
  static PyObject* const one = PyLong_FromLong(1);
  if (keys == nullptr || one == nullptr) return -1;
  if (stats == nullptr) {
    PyObject* arguments[] = {name, number, one};
    return Enter(events, PyObject_Vectorcall(hooks.trace_me, arguments, 1, keys));
  }
  PyObject* const all = PyDict_Copy(stats);
  if (all == nullptr) return -1;
  PyObject* made = nullptr;
  if (PyDict_SetItemString(all, "step_num", number) == 0 && PyDict_SetItemString(all, "_r", one) == 0) {
    made = MakeWithStats(name, all);
  }
  Py_DECREF(all);
  return Enter(events, made);
}

}  // namespace gait::python
