// Cards: a table whose rows are told one after the other, each with a heading, figures at the right, and
// paragraphs below it. For rows of few numbers and much text.
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

// By row. The table's key is the title; columns that stand `below` are paragraphs, with their head as a
// label; the others are the figures. Lines of a text that begin with a space are kept as they are; the rest
// is filled to `width` cells (0: no limit).
std::vector<Card> MakeCards(const Table& table, size_t width);

}  // namespace gait::report
