// Reads facts about the capture as a whole from its planes: start and stop, options, versions, errors.
#pragma once

#include "gait/read/xplane/space_index.h"
#include "gait/read/xplane/tables.h"
#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// Fills builder.environment() and records the losses that the profiler reported. `tables[i]` belongs to
// index.planes[i].
void ReadEnvironment(const SpaceIndex& index, const std::vector<PlaneTables>& tables, TraceBuilder& builder);

// The options of a capture (a serialized tensorflow.ProfileOptions) by name.
std::map<std::string, std::string> ReadProfileOptions(std::string_view message);

}  // namespace gait::xplane
