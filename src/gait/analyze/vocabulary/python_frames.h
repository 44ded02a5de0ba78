// Frames of the Python tracer: "$train.py:78 step", "$time sleep".
#pragma once

#include <string_view>

#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/python_name.h"

namespace gait::analyze {

inline bool IsPythonFrame(std::string_view name) { return name.starts_with('$'); }
// The work that a frame stands for.
HostWork WorkOfFrame(std::string_view name);
// A frame of a Python file that is no library's, and not gait's.
bool IsUserFrame(std::string_view name);
// A frame of the package gait, which captures while the program runs: the profiler's, not the program's.
bool IsGaitsFrame(const PythonName& python);
// A frame of gait that waits for work which the program has launched.
bool IsGaitsWait(const PythonName& python);
// A call from Python that lets time pass and runs nothing: time.sleep, a lock.
bool IsSleeping(std::string_view name);
// A frame that does not say what the thread waits for; the frame around it does: `acquire` of a lock in
// queue.get.
bool IsBareWait(std::string_view name);
// A frame that waits for another thread: `acquire` of a lock, in which every queue and future waits.
bool IsWaitForThread(std::string_view name);
// A frame of a `with`, which calls next() of its own.
bool IsOfWith(std::string_view name);

}  // namespace gait::analyze
