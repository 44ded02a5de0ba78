// Which unfinished files and empty folders of captures nobody writes to any more.
//
//   name        ".NAME.PID.RANDOM.partial", as FileWriter names what it writes: PID is the process, on this
//               machine, RANDOM has 16 digits; a folder that is copied has one, too. Of a capture's files
//               also
//               ".NAME.PID.partial" and ".NAME.partial". No other name is gait's.
//   folder      plugins/profile/TIME, also TIME_2, of a capture that began
//   left over   no writer holds the file's lock; and its process is gone and it was not written to for
//               kQuiet, or, whoever writes it, for kAbandoned: a process of another machine, or another one
//               that got the number since, or one whose folder does not say who it is
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gait::runs {

bool IsPartialName(std::string_view name);
// The process in the name.
std::optional<int64_t> WriterOf(std::string_view name);
// The folder of a capture, by its path.
bool IsSessionFolder(std::string_view path);
// `path` is of a partial file, or of an empty session folder. `modified_s` is when it was last written to, in
// Unix time.
bool IsLeftOver(const std::string& path, int64_t modified_s);

}  // namespace gait::runs
