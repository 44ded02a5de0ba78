// gait.scope: a context manager and decorator that names what runs inside it. Outside a capture it is two
// questions and nothing else, so it is a plain C type: a binding class costs three times as much.
#include <pthread.h>

#include <new>

#include "scope.h"

namespace gait::python {
namespace {

// One `with` that has begun an event. A scope object may be entered by several threads and again inside
// itself; each thread ends its own, the innermost first.
struct Entry {
  pthread_t thread;
  OpenEvents events;
  Entry* below;
};

struct Scope {
  PyObject ob_base;
  PyObject* name;
  PyObject* stats;  // dict or null
  Entry* open;      // the innermost first
  Entry first;      // one without an allocation: more than one is rare
  bool first_used;
};

Entry* NewEntry(Scope* scope) {
  if (scope->first_used) return new (std::nothrow) Entry{};
  scope->first_used = true;
  scope->first = {};
  return &scope->first;
}

void Free(Scope* scope, Entry* entry) {
  if (entry == &scope->first) {
    scope->first_used = false;
  } else {
    delete entry;
  }
}

PyTypeObject* scope_type = nullptr;

// Scopes are made and dropped in every iteration of a loop: the last few are kept for the next ones.
#ifndef Py_GIL_DISABLED
constexpr int kKept = 16;
Scope* kept[kKept];
int kept_count = 0;
#endif

PyObject* NewScope(PyObject* name, PyObject* stats) {
  Scope* scope = nullptr;
#ifndef Py_GIL_DISABLED
  if (kept_count > 0) {
    scope = kept[--kept_count];
    PyObject_Init(reinterpret_cast<PyObject*>(scope), scope_type);
  }
#endif
  if (scope == nullptr) scope = PyObject_New(Scope, scope_type);
  if (scope == nullptr) {
    Py_XDECREF(stats);
    return nullptr;
  }
  scope->name = Py_NewRef(name);
  scope->stats = stats;
  scope->open = nullptr;
  scope->first_used = false;
  return reinterpret_cast<PyObject*>(scope);
}

// scope(name, /, **stats)
PyObject* MakeScope(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count, PyObject* keys) {
  if (count != 1 || !PyUnicode_Check(args[0])) {
    PyErr_SetString(PyExc_TypeError, "gait.scope takes one name, a string, and keyword arguments");
    return nullptr;
  }
  PyObject* stats = nullptr;
  if (keys != nullptr) {
    stats = PyDict_New();
    if (stats == nullptr) return nullptr;
    const Py_ssize_t keywords = PyTuple_Size(keys);
    for (Py_ssize_t i = 0; i < keywords; ++i) {
      if (PyDict_SetItem(stats, PyTuple_GetItem(keys, i), args[count + i]) != 0) {
        Py_DECREF(stats);
        return nullptr;
      }
    }
  }
  return NewScope(args[0], stats);
}

void Dealloc(PyObject* object) {
  auto* const scope = reinterpret_cast<Scope*>(object);
  PyTypeObject* const type = Py_TYPE(object);
  Py_DECREF(scope->name);
  Py_XDECREF(scope->stats);
  while (scope->open != nullptr) {  // entered and never left
    Entry* const entry = scope->open;
    scope->open = entry->below;
    if (entry->events.End() != 0) PyErr_Clear();
    Free(scope, entry);
  }
#ifndef Py_GIL_DISABLED
  if (kept_count < kKept) {
    kept[kept_count++] = scope;
    Py_DECREF(type);
    return;
  }
#endif
  PyObject_Free(object);
  Py_DECREF(type);
}

PyObject* Enter(PyObject* object, PyObject* /*none*/) {
  auto* const scope = reinterpret_cast<Scope*>(object);
  const int recording = IsRecording();
  if (recording < 0) return nullptr;
  const int staging = IsStaging();
  if (staging < 0) return nullptr;
  // Once one is open, each `with` has its entry, so that none ends the event of another.
  if (recording == 0 && staging == 0 && scope->open == nullptr) return Py_NewRef(object);
  Entry* const entry = NewEntry(scope);
  if (entry == nullptr) return PyErr_NoMemory();
  entry->thread = pthread_self();
  if (Begin(entry->events, scope->name, scope->stats, recording != 0, staging != 0) != 0) {
    Free(scope, entry);
    return nullptr;
  }
  entry->below = scope->open;
  scope->open = entry;
  return Py_NewRef(object);
}

PyObject* Exit(PyObject* object, PyObject* const* /*args*/, Py_ssize_t /*count*/) {
  auto* const scope = reinterpret_cast<Scope*>(object);
  if (scope->open == nullptr) Py_RETURN_NONE;
  const pthread_t thread = pthread_self();
  for (Entry** link = &scope->open; *link != nullptr; link = &(*link)->below) {
    Entry* const entry = *link;
    if (pthread_equal(entry->thread, thread) == 0) continue;
    *link = entry->below;
    const int status = entry->events.End();
    Free(scope, entry);
    if (status != 0) return nullptr;
    break;
  }
  Py_RETURN_NONE;
}

// As a decorator. Generators, coroutines and the like are Python's business.
PyObject* Call(PyObject* object, PyObject* args, PyObject* keywords) {
  if (decorate == nullptr || keywords != nullptr || PyTuple_Size(args) != 1) {
    PyErr_SetString(PyExc_TypeError, "a gait.scope is called with the function that it decorates");
    return nullptr;
  }
  return PyObject_CallFunctionObjArgs(decorate, object, PyTuple_GetItem(args, 0), nullptr);
}

PyObject* Repr(PyObject* object) {
  return PyUnicode_FromFormat("gait.scope(%R)", reinterpret_cast<Scope*>(object)->name);
}

PyObject* GetName(PyObject* object, void* /*closure*/) {
  return Py_NewRef(reinterpret_cast<Scope*>(object)->name);
}

}  // namespace

int AddScopeType(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", AsMethod(Enter), METH_NOARGS, nullptr},
      {"__exit__", AsMethod(Exit), METH_FASTCALL, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyGetSetDef members[] = {
      {"name", GetName, nullptr, "the name of the event", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
      {Py_tp_call, reinterpret_cast<void*>(Call)},
      {Py_tp_repr, reinterpret_cast<void*>(Repr)},
      {Py_tp_methods, methods},
      {Py_tp_getset, members},
      {Py_tp_doc, const_cast<char*>("A name for what runs inside it; made by gait.scope(name).")},
      {0, nullptr},
  };
  static PyType_Spec spec = {"gait._scope.Scope", sizeof(Scope), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  static PyMethodDef functions[] = {
      {"scope", AsMethod(MakeScope), METH_FASTCALL | METH_KEYWORDS,
       "scope(name, /, **stats)\n--\n\n"
       "Names what runs inside it: an event in the capture and, while JAX stages out a program, a part of\n"
       "the name of each operation, so that device time carries it too. A context manager and a decorator."},
      {nullptr, nullptr, 0, nullptr},
  };
  scope_type = reinterpret_cast<PyTypeObject*>(PyType_FromModuleAndSpec(module, &spec, nullptr));
  if (scope_type == nullptr || PyModule_AddType(module, scope_type) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}

}  // namespace gait::python
