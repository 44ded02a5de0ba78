// The arguments of an event as one value of a report.
#pragma once

#include "gait/report/table.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// For people and CSV: name=value, in the order of the file. For JSON a list of [name, value] pairs, for one
// name may occur twice: numbers as numbers, text as strings, bytes as {"bytes": N}, NaN and infinity as null.
report::Cell ArgumentsCell(const Trace& trace, EventRef event);

}  // namespace gait::analyze
