// Whether two traces are equal but for the ids of their pools. For tests.
#pragma once

#include <string>

#include "gait/trace/trace.h"

namespace gait::testing_support {

// Compares planes, tracks, every event with name, times, parent, lane, arguments and attribution, programs,
// losses and the environment; strings by text, numbers by type and value. `why` gets the first difference.
bool SameTrace(const Trace& a, const Trace& b, std::string* why);

// An argument as text: "int 5", "double 0.5", "string abc", "bytes ...".
std::string ValueText(const Trace& trace, ArgValue value);

// All arguments of an event, in order: "key=int 5; key=string abc".
std::string ArgsText(const Trace& trace, EventRef event);

}  // namespace gait::testing_support
