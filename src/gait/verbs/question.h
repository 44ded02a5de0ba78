// Question and DocumentFor: the document of a verb that looks at a view of a run. The command line and the
// server both ask here, so their answers are equal.
#pragma once

#include <optional>
#include <string>

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct Question {
  std::string verb{};     // "ops"
  std::string by = "op";  // of ops
  std::string cause{};    // of idle; empty: all
  std::optional<double>
      peak_tflops{};  // of overview, ops and roofline: what a person knows of one device better
  std::optional<double> peak_gbps{};
};

// Whether there is such a verb.
bool IsViewVerb(const std::string& verb);

// A usage error for a question that makes no sense with any run. To be asked before a long read.
Result<void> Check(const Question& question);

// Check must have accepted the question.
Result<report::Document> DocumentFor(const RunView& view, const Question& question);

}  // namespace gait::analyze
