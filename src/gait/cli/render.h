// Render: writes a document to standard output in the wanted form.
#pragma once

#include "gait/base/result.h"
#include "gait/cli/verb.h"
#include "gait/report/table.h"

namespace gait::cli {

// A usage error for a table that does not exist; an error when the output cannot be written.
Result<void> Render(report::Document document, const CommonOptions& options);

}  // namespace gait::cli
