// TableLayout: the widths, units and digits of one table as text, fitted to a line width.
//
// The layout is decided once, from the first page of rows, so that a long table can be written page by page.
// A line that is too long is shortened in this order:
//   1. elastic columns are cut, the widest first
//   2. optional columns are left out
//   3. elastic columns are cut to almost nothing
//   4. the rest goes on in a second line
// Where a cut would make texts of the page equal, they are cut around the part that differs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gait/report/numbers.h"
#include "gait/report/table.h"

namespace gait::report {

class TableLayout {
 public:
  // `width` in cells, 0 for no limit. O(cells of the page).
  TableLayout(const Table& table, std::span<const Row> page, size_t width);

  std::string Head() const;
  std::string Line(const Row& row) const;
  // The lines below the row, each with its line end; mostly empty.
  std::string Below(const Row& row) const;
  bool shows(size_t column) const {
    return std::ranges::find(shown_, column, &Shown::column) != shown_.end();
  }
  // The heads of the columns that did not fit.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  struct Shown {
    size_t column;  // of the table
    std::string head;
    NumberStyle style;
    bool right = false;
    bool elastic = false;
    bool keep_end = false;
    bool path = false;
    bool optional = false;
    bool wide = false;
    bool bar = false;    // drawn instead of written
    double largest = 0;  // what the longest bar stands for
    size_t width = 0;
    size_t natural = 0;                                  // the width that needs no cut
    double head_share = 0.5;                             // where to cut
    std::unordered_map<std::string, std::string> apart;  // texts that are cut elsewhere
    std::vector<std::string> texts;                      // of the page; only while the layout is made
  };

  std::string Text(const Shown& shown, const Row& row) const;
  static Shown MakeBar(std::span<const Row> page, size_t column);
  Shown MakeShown(const Table& table, std::span<const Row> page, size_t column) const;
  size_t TotalWidth() const;
  void Shrink(size_t width);
  void CutElastic(size_t width, size_t narrowest);
  static double BestCut(const Shown& shown);
  static void CutApart(Shown& shown);
  static std::string Cut(const Shown& shown, const std::string& text);
  std::string Join(std::span<const std::string> fields) const;

  size_t line_width_ = 0;       // 0: no limit
  size_t indented_ = SIZE_MAX;  // the column that is indented by a row's depth
  size_t depth_ = SIZE_MAX;     // the column with the depth
  std::vector<Shown> shown_;
  std::vector<size_t> below_;  // columns
  std::vector<std::string> left_out_;
};

// The text in lines of at most `width` cells (0: no limit). Lines break at spaces, but not between a number
// and its unit; a word that is longer than a line breaks inside. Every line starts with `indent`.
std::string Wrap(std::string_view text, size_t width, std::string_view indent = "");
// The same, with `head` instead of the indent on the first line, also where there is no text. The indent is
// as wide as `head`.
std::string WrapBehind(std::string_view head, std::string_view text, size_t width);

}  // namespace gait::report
