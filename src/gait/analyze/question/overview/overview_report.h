// The report of an overview: tables overview, where, devices, scopes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gait/analyze/question/overview/overview.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

// A line among the quantities, which a verdict adds: the overview itself does not judge.
struct OverviewLine {
  std::string_view quantity;
  Ps value;
  std::string note;
};

report::Document OverviewDocument(const RunView& view, const Overview& overview,
                                  const std::optional<OverviewLine>& line = {});

}  // namespace gait::analyze
