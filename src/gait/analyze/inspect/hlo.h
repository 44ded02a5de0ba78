// The report of `gait hlo`: the programs of a run, one program, one instruction.
#pragma once

#include <memory>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Without a program: the list of programs. With a program (its name, its id, or a part that only its name
// has): the text of the program. With an instruction too: the instruction's line, cost, scope, source,
// operands, users and called computations. A usage error for a program or instruction that does not exist or
// is not unique. The document keeps the run alive.
Result<report::Document> HloDocument(const std::shared_ptr<const LoadedRun>& run,
                                     const std::string& program = {}, const std::string& instruction = {});

}  // namespace gait::analyze
