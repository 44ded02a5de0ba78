// What the arguments of events say.
#pragma once

#include <string_view>

#include "gait/report/table.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// Of all events with these arguments; empty: they have none of the name, or it is no text.
std::string_view TextArgument(const Trace& trace, ArgSetId set, std::string_view name);
// The operation that events name themselves: hlo_op, on a TPU display_name. Empty: none.
std::string_view NamedOperation(const Trace& trace, ArgSetId set);
// The same of an operation that could not be found, its program is not in the capture say: then it says more
// than the kernel's name. Empty: an instruction was found, it is no operation, or one of a graph.
std::string_view UnfoundOperation(const Trace& trace, ArgSetId set);

// All of an event as one value of a report. For people and CSV: name=value, in the order of the file. For
// JSON a list of [name, value] pairs, for one name may occur twice: numbers as numbers, text as strings,
// bytes as {"bytes": N}, NaN and infinity as null.
report::Cell ArgumentsCell(const Trace& trace, EventRef event);

}  // namespace gait::analyze
