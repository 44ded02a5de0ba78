// The questions about the timeline, each a function (docs/http.md).
#pragma once

#include "gait/base/result.h"
#include "gait/serve/message.h"
#include "gait/serve/open_run.h"
#include "gait/serve/parameters.h"

namespace gait::serve {

Result<Reply> EventReply(OpenRun& run, const Parameters& parameters);
Result<Reply> ExecutionsReply(OpenRun& run, const Parameters& parameters);
Result<Reply> SearchReply(OpenRun& run, const Parameters& parameters);
Result<Reply> AreaReply(OpenRun& run, const Parameters& parameters);
Result<Reply> FlameReply(OpenRun& run, const Parameters& parameters);

// The numbers of tracks in a list, "3,4"; empty for an empty list. A usage error for a text that is no number
// of a track.
Result<std::vector<uint32_t>> TrackNumbers(OpenRun& run, const std::string& list);

}  // namespace gait::serve
