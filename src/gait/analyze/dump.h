// The report of `gait dump`: events with their arguments, in order of time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gait/analyze/loaded_run.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct DumpOptions {
  std::string track{};       // a track's name, a regular expression on "plane track", or an id
  std::string name{};        // a regular expression on the event's name
  std::optional<Ps> from{};  // events that reach into [from, to)
  std::optional<Ps> to{};
  uint64_t limit = 0;  // rows to write; 0: all
};

// A usage error for an expression or a window that makes no sense; before anything is read.
Result<void> CheckOptions(const DumpOptions& options);

// One row per event. Rows are made while they are written, so memory does not grow with the events; the
// document keeps the run alive. A usage error for a bad expression or a track that does not exist.
Result<report::Document> DumpDocument(std::shared_ptr<const LoadedRun> run, const DumpOptions& options);

}  // namespace gait::analyze
