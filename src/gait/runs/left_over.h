// Which unfinished files of captures have no writer any more.
//
//   name        ".NAME.PID.partial" or ".NAME.PID.RANDOM.partial": PID is the process on this machine that
//               writes the file. A name without a number does not tell the process.
//   left over   the process is gone and the file was not written to for kQuiet; or the file was not written
//               to for kAbandoned, whatever the process: the number may be of another machine, or of another
//               process by now
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gait::runs {

bool IsPartialName(std::string_view name);
// The process in the name.
std::optional<int64_t> WriterOf(std::string_view name);
// `modified_s` is the Unix time of the last write.
bool IsLeftOver(std::string_view name, int64_t modified_s);

}  // namespace gait::runs
