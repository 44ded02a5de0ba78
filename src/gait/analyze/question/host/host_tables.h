// The tables of `gait host`.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/question/host/host.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct HostReport {
  const HostView* view;
  HostTime time;

  const std::string& name() const { return view->host->name; }
};

report::Table InputPipelineTable(const std::vector<HostReport>& hosts);
report::Table InputStepsTable(const std::vector<HostReport>& hosts);
// All activities, or the activities of one kind.
report::Table ActivitiesTable(const std::vector<HostReport>& hosts, std::optional<HostKind> only);
report::Table ThreadsTable(const std::vector<HostReport>& hosts);

}  // namespace gait::analyze
