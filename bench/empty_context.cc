// The least that a context manager in C can cost: what gait.scope is measured against (bench/annotations.py).
#include <Python.h>

namespace {

struct Empty {
  PyObject ob_base;
  PyObject* name;
};

PyTypeObject* empty_type = nullptr;

PyObject* Make(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count) {
  if (count != 1) {
    PyErr_SetString(PyExc_TypeError, "empty takes one name");
    return nullptr;
  }
  Empty* const made = PyObject_New(Empty, empty_type);
  if (made != nullptr) made->name = Py_NewRef(args[0]);
  return reinterpret_cast<PyObject*>(made);
}

void Dealloc(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  Py_DECREF(reinterpret_cast<Empty*>(object)->name);
  PyObject_Free(object);
  Py_DECREF(type);
}

PyObject* Enter(PyObject* object, PyObject* /*none*/) { return Py_NewRef(object); }
PyObject* Exit(PyObject* /*object*/, PyObject* const* /*args*/, Py_ssize_t /*count*/) { Py_RETURN_NONE; }

template <typename Function>
PyCFunction AsMethod(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {{"__enter__", AsMethod(Enter), METH_NOARGS, nullptr},
                         {"__exit__", AsMethod(Exit), METH_FASTCALL, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)}, {Py_tp_methods, methods}, {0, nullptr}};
PyType_Spec spec = {"empty_context.Empty", sizeof(Empty), 0, Py_TPFLAGS_DEFAULT, slots};
PyMethodDef functions[] = {{"empty", AsMethod(Make), METH_FASTCALL, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "empty_context", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_empty_context() {
  empty_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return empty_type == nullptr ? nullptr : PyModule_Create(&definition);
}
