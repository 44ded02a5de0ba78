// One table as CSV (RFC 4180: CRLF, quotes where needed). The first line names the columns with their unit in
// brackets, as in "busy [ps]"; values are raw, unknown is an empty field, text is valid UTF-8.
#pragma once

#include "gait/report/output.h"
#include "gait/report/table.h"

namespace gait::report {

void WriteCsv(const Table& table, Output& out);

}  // namespace gait::report
