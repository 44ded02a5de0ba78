// A document of analyze/ as a reply: the wanted rows as JSON or CSV.
#pragma once

#include "gait/report/table.h"
#include "gait/serve/message.h"
#include "gait/serve/parameters.h"

namespace gait::serve {

// Looks at table, top, sort, name, explain and format.
Reply DocumentReply(report::Document document, const Parameters& parameters);

}  // namespace gait::serve
