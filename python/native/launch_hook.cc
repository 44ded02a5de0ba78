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
  PyObject* const flat = PyObject_CallFunctionObjArgs(flatten, result, nullptr);
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

PyObject* ArrayOf(Py_ssize_t i) { return PyTuple_GetItem(PyList_GetItem(kept, i), 2); }

// Drops what is over: the first ones, and all of them from time to time.
int Prune() {
  Py_ssize_t over = 0;
  while (over < PyList_Size(kept) && IsOver(ArrayOf(over))) ++over;
  if (over > 0 && PyList_SetSlice(kept, 0, over, nullptr) != 0) return -1;
  if (PyList_Size(kept) < look_at) return 0;
  for (Py_ssize_t i = PyList_Size(kept); i-- > 0;) {
    if (IsOver(ArrayOf(i)) && PyList_SetSlice(kept, i, i + 1, nullptr) != 0) return -1;
  }
  look_at = kFewest + 2 * PyList_Size(kept);
  return 0;
}

int Keep(PyObject* launched, PyObject* result) {
  ++launches;
  if (kept == nullptr) return 0;  // over, but not in this thread
  if (Prune() != 0) return -1;
  if (PyObject* const array = Unfinished(result)) {
    PyObject* const entry =
        Py_BuildValue("(kON)", static_cast<unsigned long>(pthread_self()), launched, array);
    if (entry == nullptr) return -1;
    const int added = PyList_Append(kept, entry);
    Py_DECREF(entry);
    if (added != 0) return -1;
  }
  if (then == nullptr) return 0;
  PyObject* const action = then;
  then = nullptr;
  PyObject* const done = PyObject_CallObject(action, nullptr);
  Py_DECREF(action);
  if (done == nullptr) return -1;
  Py_DECREF(done);
  return 0;
}

// (jitted, args, kwargs, result), as JAX has it; or (program, result).
PyObject* OnLaunch(PyObject* /*module*/, PyObject* arguments) {
  const Py_ssize_t count = PyTuple_Size(arguments);
  if (count >= 2 && Keep(PyTuple_GetItem(arguments, 0), PyTuple_GetItem(arguments, count - 1)) != 0) {
    return nullptr;
  }
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
