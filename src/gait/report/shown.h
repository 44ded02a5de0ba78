// A table as people see it, cell by cell, for renderers that draw a grid of their own: Markdown, HTML.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gait/report/table.h"

namespace gait::report {

struct ShownTable {
  struct Head {
    std::string text;     // with the unit of the column's numbers
    bool number = false;  // to be set to the right
    bool key = false;     // says what a row is about: indented by the row's depth in a tree
  };
  struct Line {
    std::vector<std::string> cells;  // as many as heads
    bool nested = false;             // below another one in a tree
  };
  std::vector<Head> heads;
  std::vector<Line> lines;
};

// The first `most` rows, without hidden columns and columns that stand below a row. O(cells).
ShownTable ShownAsGrid(const Table& table, size_t most);

}  // namespace gait::report
