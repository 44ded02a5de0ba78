// Question and Answer: the document of a verb that looks at a view of a run. The command line, the server and
// reports ask here, so that all say the same.
#pragma once

#include <optional>
#include <string>

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::verbs {

struct Question {
  std::string verb{};                   // "ops"
  std::string by{};                     // of ops; empty: op
  std::string cause{};                  // of idle; empty: all
  std::optional<double> peak_tflops{};  // what a person knows of one device better
  std::optional<double> peak_gbps{};
};

// A usage error for a question that makes no sense with any run: told before a long read.
Result<void> Check(const Question& question);

// The question must be one that Check accepts.
Result<report::Document> Answer(const analyze::RunView& view, const Question& question);

}  // namespace gait::verbs
