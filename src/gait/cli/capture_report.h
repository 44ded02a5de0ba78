// The report of `gait capture` about the run that it made, and the manifest that it writes into the run.
#pragma once

#include <string>

#include "gait/analyze/view/run_view.h"
#include "gait/capture/remote/step_window.h"
#include "gait/cli/remote_capture.h"
#include "gait/report/table.h"

namespace gait::cli {

// A capture that was taken, written and read back.
struct CapturedRun {
  const capture::remote::Task& task;
  const Taken& taken;
  const analyze::RunView& view;
};

// The steps of each host's main series; of several hosts, the fewest steps and the longest period.
capture::remote::SeenSteps StepsOf(const analyze::RunView& view);

// The text of gait.json.
std::string ManifestText(const CapturedRun& captured);

Result<report::Document> CaptureDocument(const CapturedRun& captured);

}  // namespace gait::cli
