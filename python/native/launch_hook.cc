// What JAX calls behind each launch while a CPU's capture is recorded: keeps an array of the result until it
// is computed. In C, as frames of Python would stand in captures that record Python calls.
#include <pthread.h>

#include "scope.h"

namespace gait::python {
namespace {

constexpr Py_ssize_t kFewest = 64;  // kept launches before all of them are looked at

// Of a large tree so many on each side: what one launch computes is over at one time, and only what it hands
// on is not.
constexpr Py_ssize_t kNearTheEnds = 16;

PyObject* kept = nullptr;      // a list of (thread, what was launched, an array of its result)
PyObject* flatten = nullptr;   // (tree) -> (leaves, its form)
PyObject* then = nullptr;      // called once, behind the next launch
Py_ssize_t look_at = kFewest;  // so many
uint64_t launches = 0;

// 1, 0, or -1 where it has no such method; never an exception.
int Ask(PyObject* array, const char* method) {
  PyObject* const answer = PyObject_CallMethod(array, method, nullptr);
  if (answer == nullptr) {
    PyErr_Clear();
    return -1;
  }
  const int is_true = answer == Py_True ? 1 : 0;
  Py_DECREF(answer);
  return is_true;
}

// Deleted ones, which were handed to another launch, are over too: that one is kept.
bool IsOver(PyObject* array) { return Ask(array, "is_deleted") != 0 || Ask(array, "is_ready") != 0; }

// An array of a result that is not computed yet, a new reference; null where all are. Of a tree of results
// the last one: what a training step hands back besides its state is small, as a rule.
PyObject* Unfinished(PyObject* result) {
  const int deleted = Ask(result, "is_deleted");
  if (deleted >= 0) return deleted == 0 && Ask(result, "is_ready") == 0 ? Py_NewRef(result) : nullptr;
  PyObject* const function = Py_XNewRef(flatten);
  if (function == nullptr) return nullptr;  // over, but not in this thread
  PyObject* const flat = PyObject_CallFunctionObjArgs(function, result, nullptr);
  Py_DECREF(function);
  PyObject* const leaves = flat == nullptr ? nullptr : PyTuple_GetItem(flat, 0);
  PyObject* found = nullptr;
  const Py_ssize_t count = leaves == nullptr ? 0 : PySequence_Size(leaves);
  for (Py_ssize_t i = count; i-- > 0 && found == nullptr;) {
    if (i == count - kNearTheEnds - 1 && i > kNearTheEnds) i = kNearTheEnds - 1;
    PyObject* const leaf = PySequence_GetItem(leaves, i);
    if (leaf == nullptr) break;
    if (Ask(leaf, "is_deleted") == 0 && Ask(leaf, "is_ready") == 0) found = Py_NewRef(leaf);
    Py_DECREF(leaf);
  }
  PyErr_Clear();
  Py_XDECREF(flat);
  return found;
}

// Whether the launch at i is over, and dropped. Held meanwhile: asking may let other threads run, which add
// and drop too.
bool DropIfOver(PyObject* list, Py_ssize_t i) {
  if (i >= PyList_Size(list)) return false;
  PyObject* const entry = Py_NewRef(PyList_GetItem(list, i));
  const bool over = IsOver(PyTuple_GetItem(entry, 2));
  const bool there = i < PyList_Size(list) && PyList_GetItem(list, i) == entry;
  const bool dropped = over && there && PyList_SetSlice(list, i, i + 1, nullptr) == 0;
  Py_DECREF(entry);
  return dropped;
}

// Drops what is over: the first ones, and all of them from time to time.
void Prune(PyObject* list) {
  while (DropIfOver(list, 0)) {
  }
  if (PyList_Size(list) < look_at) return;
  for (Py_ssize_t i = PyList_Size(list); i-- > 0;) DropIfOver(list, i);
  look_at = kFewest + 2 * PyList_Size(list);
}

void Keep(PyObject* list, PyObject* launched, PyObject* result) {
  Prune(list);
  PyObject* const array = Unfinished(result);
  if (array == nullptr) return;
  PyObject* const entry = Py_BuildValue("(kON)", static_cast<unsigned long>(pthread_self()), launched, array);
  if (entry != nullptr) PyList_Append(list, entry);
  Py_XDECREF(entry);
}

// (jitted, args, kwargs, result), as JAX has it; or (program, result). Training never hears of what goes
// wrong here.
PyObject* OnLaunch(PyObject* /*module*/, PyObject* arguments) {
  ++launches;
  const Py_ssize_t count = PyTuple_Size(arguments);
  if (PyObject* const list = Py_XNewRef(kept); list != nullptr && count >= 2) {
    Keep(list, PyTuple_GetItem(arguments, 0), PyTuple_GetItem(arguments, count - 1));
    Py_DECREF(list);
    if (PyObject* const action = then) {
      then = nullptr;
      Py_XDECREF(PyObject_CallObject(action, nullptr));
      Py_DECREF(action);
    }
  }
  PyErr_Clear();
  Py_RETURN_NONE;
}

// (flatten): from now on; (None): no longer, and nothing is kept.
PyObject* KeepLaunches(PyObject* /*module*/, PyObject* function) {
  PyObject* const before[] = {kept, then, flatten};
  const bool on = function != Py_None;
  kept = on ? PyList_New(0) : nullptr;
  then = nullptr;
  flatten = on ? Py_NewRef(function) : nullptr;
  look_at = kFewest;
  if (on) launches = 0;
  for (PyObject* const old : before) Py_XDECREF(old);
  if (on && kept == nullptr) return nullptr;
  Py_RETURN_NONE;
}

PyObject* KeptLaunches(PyObject* /*module*/, PyObject* /*none*/) {
  PyObject* const copy = kept == nullptr ? PyList_New(0) : PyList_GetSlice(kept, 0, PyList_Size(kept));
  return copy == nullptr ? nullptr : Py_BuildValue("(KN)", static_cast<unsigned long long>(launches), copy);
}

PyObject* AfterNextLaunch(PyObject* /*module*/, PyObject* action) {
  PyObject* const before = then;
  then = Py_NewRef(action);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"on_launch", OnLaunch, METH_VARARGS, nullptr},
    {"keep_launches", KeepLaunches, METH_O, nullptr},
    {"kept_launches", KeptLaunches, METH_NOARGS, nullptr},
    {"after_next_launch", AfterNextLaunch, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int AddLaunchHook(PyObject* module) { return PyModule_AddFunctions(module, functions); }

}  // namespace gait::python
