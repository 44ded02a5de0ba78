// Which unfinished files of captures nobody writes to any more.
//
//   name        ".NAME.PID.partial" or ".NAME.PID.RANDOM.partial": PID is the process that writes it, on this
//               machine. Names without a number are written by programs that do not say who they are.
//   left over   the process is gone and the file was not written to for kQuiet; or, whoever writes it, for
//               kAbandoned: a process of another machine, or another one that got the number since
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gait::runs {

bool IsPartialName(std::string_view name);
// The process that the name tells.
std::optional<int64_t> WriterOf(std::string_view name);
// `modified_s` is when it was last written to, in Unix time.
bool IsLeftOver(std::string_view name, int64_t modified_s);

}  // namespace gait::runs
