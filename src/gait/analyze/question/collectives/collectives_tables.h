// The tables of `gait collectives`.
#pragma once

#include <string>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct CollectivesContext {
  const RunView& view;
  const CollectivesResult& result;

  bool has_steps() const { return result.device_steps > 0; }
  const std::string& HostName(size_t host) const { return view.hosts[host].host->name; }
  std::string DeviceText(size_t device) const;  // with its host where there are several
  // The operation's name, with its program where several programs have the operation.
  std::string OperationText(const CollectiveOperation& operation) const;
};

report::Table CollectivesTable(const CollectivesContext& context);
report::Table CollectiveKindsTable(const CollectivesContext& context);
report::Table CollectiveDevicesTable(const CollectivesContext& context);
// A row for each collective and each device that met other devices in the collective.
report::Table CollectiveMatrixTable(const CollectivesContext& context);
report::Table AlignmentTable(const CollectivesContext& context);

}  // namespace gait::analyze
