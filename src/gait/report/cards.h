// Cards: a table whose rows are shown one below the other, each with a heading, figures at the right, and
// paragraphs below. For rows with few numbers and much text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gait/report/table.h"

namespace gait::report {

struct Card {
  std::string heading;             // one line, or two when the figures do not fit behind the title
  std::vector<std::string> lines;  // below it, indented
};

// A card per row. The table's key is the title; columns that stand `below` are paragraphs, with their head as
// a label; the other columns are the figures. Lines that begin with a space are kept as they are; other text
// is filled to `width` cells (0: no limit).
std::vector<Card> MakeCards(const Table& table, size_t width);

}  // namespace gait::report
