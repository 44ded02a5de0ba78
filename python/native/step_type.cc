// gait.step: one step of a training loop. Beside the event it keeps when each step began, so that a capture
// can say how long steps took before and after it; a clock read per step is all that costs.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "scope.h"

namespace gait::python {
namespace {

struct Step {
  PyObject ob_base;
  PyObject* name;
  PyObject* number;  // an int
  PyObject* stats;   // dict or null
  OpenEvents events;
  bool told;  // the listener knows that it began
};

struct Begun {
  int64_t number;
  int64_t time_ns;  // steady clock
  PyObject* name;   // of its kind
};

constexpr uint64_t kRemembered = 4096;
Begun begun[kRemembered];
uint64_t begun_count = 0;

PyTypeObject* step_type = nullptr;
PyObject* default_name = nullptr;
PyObject* on_begin = nullptr;  // (number) -> None, or null
PyObject* on_end = nullptr;    // (number, exception type) -> None, or null
// (anything) -> int of 64 bits: says why something is no step number. It hears of the first step, too.
PyObject* step_number = nullptr;

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// step(number, /, name="train", **stats)
PyObject* MakeStep(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count, PyObject* keys) {
  if (count < 1 || count > 2) {
    PyErr_SetString(PyExc_TypeError, "gait.step takes the number of the step, and a name");
    return nullptr;
  }
  PyObject* name = count == 2 ? args[1] : default_name;
  PyObject* stats = nullptr;
  const Py_ssize_t keywords = keys == nullptr ? 0 : PyTuple_Size(keys);
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* const key = PyTuple_GetItem(keys, i);
    if (PyUnicode_CompareWithASCIIString(key, "name") == 0) {
      name = args[count + i];
      continue;
    }
    if (stats == nullptr) stats = PyDict_New();
    if (stats == nullptr || PyDict_SetItem(stats, key, args[count + i]) != 0) {
      Py_XDECREF(stats);
      return nullptr;
    }
  }
  if (!PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "the name of a gait.step is a string");
    Py_XDECREF(stats);
    return nullptr;
  }
  // Also remembered for the manifest, so it is made writable here, and not where the event begins.
  name = Encodable(name);
  if (name == nullptr) {
    Py_XDECREF(stats);
    return nullptr;
  }
  PyObject* number = nullptr;
  int overflow = 0;
  const bool is_integer = PyLong_CheckExact(args[0]);
  if (is_integer) (void)PyLong_AsLongLongAndOverflow(args[0], &overflow);
  if ((is_integer && overflow == 0 && begun_count > 0) || step_number == nullptr) {
    number = PyNumber_Index(args[0]);
  } else {
    number = PyObject_CallFunctionObjArgs(step_number, args[0], nullptr);
  }
  Step* const step = number == nullptr ? nullptr : PyObject_New(Step, step_type);
  if (step == nullptr) {
    Py_DECREF(name);
    Py_XDECREF(number);
    Py_XDECREF(stats);
    return nullptr;
  }
  step->name = name;
  step->number = number;
  step->stats = stats;
  step->events = {};
  step->told = false;
  return reinterpret_cast<PyObject*>(step);
}

void Dealloc(PyObject* object) {
  auto* const step = reinterpret_cast<Step*>(object);
  PyTypeObject* const type = Py_TYPE(object);
  if (step->events.End() != 0) PyErr_Clear();
  Py_DECREF(step->name);
  Py_DECREF(step->number);
  Py_XDECREF(step->stats);
  PyObject_Free(object);
  Py_DECREF(type);
}

void Remember(int64_t number, PyObject* name) {
  Begun& place = begun[begun_count % kRemembered];
  PyObject* const forgotten = place.name;
  place = {number, Now(), Py_NewRef(name)};
  ++begun_count;
  Py_XDECREF(forgotten);
}

PyObject* Enter(PyObject* object, PyObject* /*none*/) {
  auto* const step = reinterpret_cast<Step*>(object);
  if (step->events.trace_me != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "this gait.step is already running; make one for each step");
    return nullptr;
  }
  const int64_t number = PyLong_AsLongLong(step->number);
  if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (on_begin != nullptr) {  // may start a capture
    PyObject* const done = PyObject_CallFunctionObjArgs(on_begin, step->number, nullptr);
    if (done == nullptr) return nullptr;
    Py_DECREF(done);
    step->told = true;
  }
  Remember(number, step->name);
  const int recording = IsRecording();
  if (recording < 0) return nullptr;
  if (recording != 0 && BeginStep(step->events, step->name, step->number, step->stats) != 0) return nullptr;
  return Py_NewRef(object);
}

PyObject* Exit(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  auto* const step = reinterpret_cast<Step*>(object);
  if (step->events.trace_me != nullptr && step->events.End() != 0) return nullptr;
  if (step->told && on_end != nullptr) {  // may end a capture
    PyObject* const exception = count > 0 ? args[0] : Py_None;
    PyObject* const done = PyObject_CallFunctionObjArgs(on_end, step->number, exception, nullptr);
    if (done == nullptr) return nullptr;
    Py_DECREF(done);
  }
  step->told = false;
  Py_RETURN_NONE;
}

PyObject* Repr(PyObject* object) {
  auto* const step = reinterpret_cast<Step*>(object);
  return PyUnicode_FromFormat("gait.step(%R, name=%R)", step->number, step->name);
}

PyObject* GetNumber(PyObject* object, void* /*closure*/) {
  return Py_NewRef(reinterpret_cast<Step*>(object)->number);
}

// begun_steps(after=0) -> (count, [(number, time_ns, name), ...]): those remembered of the steps after the
// first `after`.
PyObject* BegunSteps(PyObject* /*module*/, PyObject* args) {
  unsigned long long after = 0;
  if (PyArg_ParseTuple(args, "|K", &after) == 0) return nullptr;
  const uint64_t oldest = begun_count > kRemembered ? begun_count - kRemembered : 0;
  const uint64_t first = std::max<uint64_t>(oldest, after);
  PyObject* const list = PyList_New(0);
  if (list == nullptr) return nullptr;
  for (uint64_t i = first; i < begun_count; ++i) {
    const Begun& step = begun[i % kRemembered];
    PyObject* const entry = Py_BuildValue("(LLO)", static_cast<long long>(step.number),
                                          static_cast<long long>(step.time_ns), step.name);
    if (entry == nullptr || PyList_Append(list, entry) != 0) {
      Py_XDECREF(entry);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(entry);
  }
  return Py_BuildValue("(KN)", static_cast<unsigned long long>(begun_count), list);
}

// remember_step(number, name): as if a gait.step had begun, for steps that are marked in another way.
PyObject* RememberStep(PyObject* /*module*/, PyObject* args) {
  long long number = 0;
  PyObject* name = nullptr;
  if (PyArg_ParseTuple(args, "LO", &number, &name) == 0) return nullptr;
  Remember(number, name);
  Py_RETURN_NONE;
}

// listen(on_begin, on_end): who hears of every gait.step; None for nobody.
PyObject* Listen(PyObject* /*module*/, PyObject* args) {
  PyObject* begin = nullptr;
  PyObject* end = nullptr;
  if (PyArg_ParseTuple(args, "OO", &begin, &end) == 0) return nullptr;
  Replace(on_begin, begin == Py_None ? nullptr : Py_NewRef(begin));
  Replace(on_end, end == Py_None ? nullptr : Py_NewRef(end));
  Py_RETURN_NONE;
}

PyObject* SetStepNumber(PyObject* /*module*/, PyObject* function) {
  Replace(step_number, Py_NewRef(function));
  Py_RETURN_NONE;
}

}  // namespace

int AddStepType(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", AsMethod(Enter), METH_NOARGS, nullptr},
      {"__exit__", AsMethod(Exit), METH_FASTCALL, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyGetSetDef members[] = {
      {"number", GetNumber, nullptr, "the number of the step", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(Repr)},
      {Py_tp_methods, methods},
      {Py_tp_getset, members},
      {Py_tp_doc, const_cast<char*>("One step of a training loop; made by gait.step(number).")},
      {0, nullptr},
  };
  static PyType_Spec spec = {"gait._scope.Step", sizeof(Step), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  static PyMethodDef functions[] = {
      {"step", AsMethod(MakeStep), METH_FASTCALL | METH_KEYWORDS,
       "step(number, /, name='train', **stats)\n--\n\n"
       "Marks one step of a training loop, as jax.profiler.StepTraceAnnotation does, for a quarter of its\n"
       "cost, and remembers when it began. A context manager."},
      {"begun_steps", AsMethod(BegunSteps), METH_VARARGS, nullptr},
      {"remember_step", AsMethod(RememberStep), METH_VARARGS, nullptr},
      {"listen", AsMethod(Listen), METH_VARARGS, nullptr},
      {"set_step_number", AsMethod(SetStepNumber), METH_O, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  default_name = PyUnicode_InternFromString("train");
  step_type = reinterpret_cast<PyTypeObject*>(PyType_FromModuleAndSpec(module, &spec, nullptr));
  if (default_name == nullptr || step_type == nullptr || PyModule_AddType(module, step_type) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}

}  // namespace gait::python
