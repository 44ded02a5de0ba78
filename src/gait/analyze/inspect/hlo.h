// The report of `gait hlo`: the programs of a run, one program, one instruction.
#pragma once

#include <memory>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Without a program: the list. With one (a name, an id or a part of a name that only one has): its text.
// With an instruction too: its line, cost, scope, source, operands, users and what it calls. A usage error
// for what does not exist or is not unique. The document keeps the run alive.
Result<report::Document> HloDocument(const std::shared_ptr<const LoadedRun>& run,
                                     const std::string& program = {}, const std::string& instruction = {});

}  // namespace gait::analyze
