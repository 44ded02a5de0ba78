// A Document as text for a terminal: the answer first, then the evidence, then the way to go on, and at the
// end what was lost. Lines fit `width`; nothing in a capture's names can steer the terminal.
#pragma once

#include <cstddef>

#include "gait/report/output.h"
#include "gait/report/table.h"

namespace gait::report {

struct TextOptions {
  size_t width = 80;  // cells; 0: never cut
  bool color = false;
};

// Rows of a row source are written in pages: memory does not grow with the rows.
void WriteText(const Document& document, const TextOptions& options, Output& out);

}  // namespace gait::report
