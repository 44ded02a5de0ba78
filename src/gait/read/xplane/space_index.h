// SpaceIndex: the places of planes, lines and tables in the file. One walk over the outer messages makes it
// and touches no event; everything after the walk can run in parallel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/decompress.h"
#include "gait/trace/loss.h"

namespace gait::xplane {

struct LineIndex {
  std::string_view bytes;  // the XLine message
  std::string cut = {};    // why the end of it is missing; empty when it is whole
};

struct PlaneIndex {
  int64_t id = 0;
  std::string_view name;
  std::string place;       // how losses call it: its name, or its id
  std::string cut;         // what ended inside it ("the file ends"), so that tables may be missing; or empty
  bool entry_cut = false;  // that was in the last of event_metadata, and who reads it tells of it
  std::vector<LineIndex> lines;
  std::vector<std::string_view> event_metadata;  // map entries
  std::vector<std::string_view> stat_metadata;   // map entries
  std::vector<std::string_view> stats;           // XStat messages of the plane
};

struct SpaceIndex {
  std::vector<PlaneIndex> planes;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<std::string> hostnames;
  bool has_other_fields = false;  // which no version of XLA writes
  std::string trouble;            // why the walk ended before the end of the file; empty when it did not
};

// The words for a cut that goes through a place: "the file ends inside this line; what follows is missing".
std::string CutText(std::string_view cut, std::string_view place);

// A cut of the file or of its compressed stream becomes one loss, at the innermost place that the cut goes
// through. A cut inside a line is left to the reader of the line.
SpaceIndex IndexSpace(std::string_view space, LossLog& losses, const StreamCut& stream_cut = {});

}  // namespace gait::xplane
