// A Trace as Chrome's JSON, which Perfetto, chrome://tracing and speedscope open.
//
// A plane becomes a process, a track becomes a thread. Events that overlap without containing each other
// (kernels of one stream) are on threads of their own, since a viewer would drop them. Rows that gait itself
// derived are left out, so that every event of the capture is there exactly once.
#pragma once

#include <functional>
#include <string>

#include "gait/trace/trace.h"

namespace gait::write {

// A gzip file. Memory: the compressed text, and the names of the trace.
std::string ChromeJson(const Trace& trace, const std::function<void(double fraction)>& progress = {});

}  // namespace gait::write
