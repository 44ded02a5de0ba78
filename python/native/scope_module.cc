// The module gait._scope: annotations, without anything else, so that it loads in no time.
#include <dlfcn.h>

#include <initializer_list>

#include "scope.h"

namespace gait::python {
namespace {

// The stable interface does not have it, but every Python that we run on.
vectorcallfunc VectorcallOf(PyObject* callable) {
  using Find = vectorcallfunc (*)(PyObject*);
  static const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "PyVectorcall_Function"));
  return find == nullptr ? nullptr : find(callable);
}

// bind(trace_me, enter, exit, is_enabled, trace_get, trace_state, eval_trace, named_scope): what to call of
// JAX. trace_get may be None (no names on the name stack), trace_state too (trace_get takes nothing).
PyObject* Bind(PyObject* /*module*/, PyObject* args) {
  JaxHooks given;
  if (PyArg_ParseTuple(args, "OOOOOOOO", &given.trace_me, &given.trace_me_enter, &given.trace_me_exit,
                       &given.is_enabled.callable, &given.trace_get.callable, &given.trace_state,
                       &given.eval_trace, &given.named_scope) == 0) {
    return nullptr;
  }
  // Never given back: the hooks live as long as the process.
  for (PyObject** hook :
       {&given.trace_me, &given.trace_me_enter, &given.trace_me_exit, &given.is_enabled.callable,
        &given.trace_get.callable, &given.trace_state, &given.eval_trace, &given.named_scope}) {
    *hook = *hook == Py_None ? nullptr : Py_NewRef(*hook);
  }
  for (QuickCall* hook : {&given.is_enabled, &given.trace_get}) {
    if (*hook) hook->function = VectorcallOf(hook->callable);
  }
  hooks = given;
  Py_RETURN_NONE;
}

PyObject* SetDecorate(PyObject* /*module*/, PyObject* function) {
  Replace(decorate, Py_NewRef(function));
  Py_RETURN_NONE;
}

PyObject* IsRecordingNow(PyObject* /*module*/, PyObject* /*none*/) {
  const int recording = IsRecording();
  return recording < 0 ? nullptr : PyBool_FromLong(recording);
}

PyMethodDef functions[] = {
    {"bind", Bind, METH_VARARGS, nullptr},
    {"set_decorate", SetDecorate, METH_O, nullptr},
    {"is_recording", IsRecordingNow, METH_NOARGS,
     "is_recording()\n--\n\nWhether a profiler session of this process records now, gait's or anybody's."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "gait._scope",
                          "Annotations of gait.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace gait::python

PyMODINIT_FUNC PyInit__scope() {
  PyObject* const module = PyModule_Create(&gait::python::definition);
  if (module == nullptr) return nullptr;
  if (gait::python::AddScopeType(module) != 0 || gait::python::AddStepType(module) != 0 ||
      gait::python::AddLaunchHook(module) != 0 || gait::python::AddPipeWait(module) != 0) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
