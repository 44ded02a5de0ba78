// What the terminal behind a file descriptor can show.
#pragma once

#include <cstddef>

namespace gait::report {

// Cells in a line: COLUMNS where it is set and sensible, else the terminal's own width, else 80.
size_t TerminalWidth(int descriptor);

// Colour only on a terminal that is not "dumb", and never with NO_COLOR in the environment.
bool WantsColor(int descriptor);

}  // namespace gait::report
