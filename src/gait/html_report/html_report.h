// A run, or two runs and their differences, as one HTML file that needs no other file: the web app's report
// page with the server's answers inside (docs/verbs/report.md).
#pragma once

#include <memory>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/result.h"

namespace gait::html_report {

// An error when the program was built without its web app.
Result<std::string> HtmlReport(const std::shared_ptr<const analyze::LoadedRun>& run);
Result<std::string> HtmlDiff(const std::shared_ptr<const analyze::LoadedRun>& before,
                             const std::shared_ptr<const analyze::LoadedRun>& after);

}  // namespace gait::html_report
