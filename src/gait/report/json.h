// A Document as JSON:
//   {"schema":1,"verb":"info","source":"runs/gpt","answer":"...","warnings":[...],
//    "losses":[{"kind","place","reason","count"}],"notes":[...],
//    "tables":{"tracks":{"columns":[{"name","type","unit"}],"rows":[[...]]}},"texts":{"program":"..."}}
//
// Names are stable; values are raw, in the unit of their column (times are integer picoseconds). Unknown is
// null. The output is valid UTF-8 whatever the names in the capture are: bad bytes become U+FFFD. Doubles
// read back equal. Counts in sentences are not grouped: "6156 events". A verb that reads several runs has a
// list under "source".
#pragma once

#include "gait/report/output.h"
#include "gait/report/table.h"

namespace gait::report {

// Rows of a row source are written as they come: memory does not grow with the rows.
void WriteJson(const Document& document, Output& out);

// One string in quotes.
std::string JsonString(std::string_view text);
// The list under "losses".
std::string LossesJson(const std::vector<Loss>& losses);

}  // namespace gait::report
