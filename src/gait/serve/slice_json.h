// Slices as JSON (docs/http.md).
#pragma once

#include "gait/report/json_writer.h"
#include "gait/serve/open_run.h"
#include "gait/timeline/same.h"
#include "gait/timeline/search.h"

namespace gait::serve {

// {"track", "event", "begin", "duration", "name", "name_id", "label"}
void SliceJson(report::JsonWriter& json, const timeline::Book& book, timeline::SliceRef slice);
// The instruction that a slice executes, with operands, users, scope and source.
void OperationJson(report::JsonWriter& json, const Trace& trace, Attribution found);

// Adds "count", "mean", ..., "histogram" of the durations of some slices to an object that is begun.
void DurationsJson(report::JsonWriter& json, uint64_t count, const analyze::DurationStatistics& statistics,
                   const timeline::Histogram& histogram);

}  // namespace gait::serve
