// SpaceIndex: where in the file the planes, lines and tables are. One walk over the outer messages that
// touches no event; everything after it can run in parallel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/loss.h"

namespace gait::xplane {

struct LineIndex {
  std::string_view bytes;  // the XLine message
  bool cut = false;        // the file ends inside it
};

struct PlaneIndex {
  int64_t id = 0;
  std::string_view name;
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
  std::string trouble;  // why the walk ended before the end of the file; empty when it did not
};

SpaceIndex IndexSpace(std::string_view space, LossLog& losses);

}  // namespace gait::xplane
