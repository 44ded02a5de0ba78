// What the arguments of events say.
#pragma once

#include <string_view>

#include "gait/report/table.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// The text of the argument `name` in an argument set; empty: the set has no such argument, or its value is no
// text.
std::string_view TextArgument(const Trace& trace, ArgSetId set, std::string_view name);
// The operation that the arguments name: hlo_op, on a TPU display_name. Empty: none.
std::string_view NamedOperation(const Trace& trace, ArgSetId set);
// The same, where no instruction was found (the program is not in the capture, say): the operation then says
// more than the kernel's name. Empty: an instruction was found, or the arguments name no operation or a
// graph.
std::string_view UnfoundOperation(const Trace& trace, ArgSetId set);

// All arguments of an event as one value of a report. For people and CSV: name=value, in the order of the
// file. For JSON: a list of [name, value] pairs, since a name may occur twice; numbers as numbers, text as
// strings, bytes as {"bytes": N}, NaN and infinity as null.
report::Cell ArgumentsCell(const Trace& trace, EventRef event);

}  // namespace gait::analyze
