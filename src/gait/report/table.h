// Table and Document: the result of an analysis, for the renderers. Both hold raw values. Only the renderer
// decides how a number looks, by the column's unit, so text, JSON and CSV cannot disagree about a value.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gait/base/units.h"
#include "gait/trace/loss.h"

namespace gait::report {

// An unknown value, and the reason. Shown as –, null or an empty field; never as 0.
struct Unknown {
  std::string why;
};

// One value of a table. (Not a std::variant: g++ 12 sees uninitialised strings in every one of them.)
class Cell {
 public:
  enum class Kind : uint8_t { kUnknown, kInt, kUint, kDouble, kTime, kText, kJson };

  Cell() = default;  // unknown
  Cell(Unknown unknown) : text_(std::move(unknown.why)) {}
  Cell(int64_t value) : kind_(Kind::kInt), bits_(static_cast<uint64_t>(value)) {}
  Cell(uint64_t value) : kind_(Kind::kUint), bits_(value) {}
  Cell(double value) : kind_(Kind::kDouble), bits_(std::bit_cast<uint64_t>(value)) {}
  Cell(Ps value) : kind_(Kind::kTime), bits_(static_cast<uint64_t>(value.value())) {}
  Cell(std::string value) : kind_(Kind::kText), text_(std::move(value)) {}
  Cell(std::string_view value) : kind_(Kind::kText), text_(value) {}
  Cell(const char* value) : kind_(Kind::kText), text_(value) {}

  // A value with a form of its own in JSON: a list, say. Text and CSV show `plain`.
  static Cell Json(std::string json, std::string plain) {
    Cell cell(std::move(plain));
    cell.kind_ = Kind::kJson;
    cell.other_ = std::move(json);
    return cell;
  }
  // The same value; people see `shown` for it. For tables whose rows have units of their own.
  Cell ShownAs(std::string shown) && {
    other_ = std::move(shown);
    return std::move(*this);
  }

  Kind kind() const { return kind_; }
  // The text of a kText, the plain form of a kJson, the reason of an unknown value.
  const std::string& text() const { return text_; }
  bool has_text() const { return kind_ == Kind::kText || kind_ == Kind::kJson; }
  const std::string& json() const { return other_; }  // of a kJson
  // The text that people see instead of the value; empty: they see the value itself.
  std::string_view shown() const { return kind_ == Kind::kJson ? std::string_view() : other_; }

  // The value of a kInt or a kTime; the bits of a kUint.
  int64_t integer() const { return static_cast<int64_t>(bits_); }
  // The exact value without a unit, as JSON and CSV write it; empty for text, for unknown and for NaN.
  std::string RawNumber() const;
  // The value as a number; nullopt for text, for unknown and for NaN.
  std::optional<double> number() const;

 private:
  Kind kind_ = Kind::kUnknown;
  uint64_t bits_ = 0;
  std::string text_;
  std::string other_;  // of a kJson: the JSON; else what people see
};
using Row = std::vector<Cell>;

enum class Type : uint8_t {
  kText,
  kInteger,  // int64_t, uint64_t or Ps
  kNumber,   // double
  kAny,      // differs from row to row, or a list: the page of the verb says more
};
std::string_view Name(Type type);  // "string", "integer", "number", "any": the words of the JSON schema

// Units that the text renderer scales for the reader. In JSON and CSV raw values stay in this unit.
namespace unit {
inline constexpr std::string_view kNone = "";
inline constexpr std::string_view kPs = "ps";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kBytesPerSecond = "bytes/s";
inline constexpr std::string_view kFlop = "flop";
inline constexpr std::string_view kFlopPerSecond = "flop/s";
inline constexpr std::string_view kPercent = "percent";
inline constexpr std::string_view kUnixNs = "unix_ns";  // nanoseconds since 1970
}  // namespace unit

// How a column looks in text. JSON and CSV ignore this.
struct Show {
  std::string head{};       // instead of the column's name
  bool hidden = false;      // only in JSON and CSV
  bool identifier = false;  // a number that is a name: not grouped, not scaled
  bool elastic = false;     // text that may be cut in its middle when the line is too long
  bool keep_end = false;    // with `elastic`: a path, cut at its front
  bool path = false;        // with `elastic`: a path, each component cut where it is like the others'
  bool below = false;       // on lines of its own below the row, wrapped; behind it where lines have no end
  std::string_view group = {};  // columns of one group are shown in one unit with the same decimals
  bool optional = false;        // left out when the line is still too long, or nothing is known
  bool wide = false;            // only where the line has room for it without cutting anything else
  std::string_view scale = {};  // a fixed unit to show, "ms" or "µs", instead of one chosen from the values
  int decimals = -1;            // with `scale`: fixed digits after the point
  bool bar = false;             // a bar behind the number, as long as it is large
};

struct Column {
  std::string name;  // stable, [a-z0-9_]+
  Type type = Type::kText;
  std::string_view unit = unit::kNone;  // of the raw values
  Show show{};
  std::string_view about{};  // one line for people who ask what the column means (--explain)
};

// Yields the next row, or false at the end. The row comes in empty.
using RowSource = std::function<bool(Row&)>;

struct Table {
  std::string name{};   // stable, [a-z0-9_]+
  std::string title{};  // the head of the first column in text; the column's own head when empty
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  // Makes further rows while the table is written, for tables that need not fit in memory. Rendering uses up
  // the source.
  RowSource more{};
  uint64_t more_rows = 0;  // how many rows `more` will yield, for the progress bar; 0: nobody knows
  // The text instead of a table without rows: "no program was captured". Empty: the table is left out.
  std::string if_empty{};
  bool hidden = false;    // only in JSON and CSV
  size_t text_rows = 0;   // text shows so many of `rows` and counts the others; 0: all
  size_t cut = 0;         // how many rows --top took away
  std::string weight{};   // in a tree: text shows the rows with the most of this column, in their order
  bool headless = false;  // text shows no line of heads: the rows speak for themselves
  bool cards = false;     // text shows each row as a card (cards.h): a heading and paragraphs
  std::string key{};      // the column that says what a row is about, which --name matches; empty: the first
                          // column of text that people see
  std::string depth{};  // of a table that is a tree: the column with a row's depth; rows follow their parent,
                        // and text shows their key indented
};

// A part of a report that is text by nature: a program, a source line. JSON carries it under "texts".
struct TextBlock {
  std::string name;
  std::string text;
};

// A piece of an answer or a note that leads further: a page shows a link instead.
struct Link {
  std::string text;    // the piece, word for word: "gait transfers"
  std::string verb{};  // the page; empty: the same one
  std::vector<std::pair<std::string, std::string>> parameters{};  // what that page is narrowed to

  // "--program jit_f": the same page for a part of the run.
  static Link Option(const std::string& key, const std::string& value) {
    return {fmt::format("--{} {}", key, value), "", {{key, value}}};
  }
};

struct Document {
  std::string verb;
  std::vector<std::string> sources{};   // the runs it speaks of
  std::string context{};                // one line: which run, when, where, on what
  std::string answer{};                 // the one line that a tired person can act on
  std::vector<std::string> warnings{};  // what the capture itself reported: shown before everything else
  std::vector<Table> tables{};          // in the order of the report
  std::string main_table{};             // what --sort, --top and --name arrange and CSV prints unless told
                                        // otherwise; empty: the first table
  std::string cut_table{};              // what --top cuts instead, where the rows of the main one sum up
  std::vector<TextBlock> texts{};
  std::vector<Loss> losses{};
  bool whole = false;                // text that goes to no terminal is not cut
  bool explain = false;              // text says below each table what its columns mean
  bool read_events = true;           // false: nothing was read, so nothing is said about losses
  std::vector<std::string> notes{};  // below the tables: "59 more events; --limit 0 shows all"
  std::vector<Link> links{};         // pieces of the texts above
  std::vector<std::string> next{};   // commands to go on with
};

// The index of the column of that name; the number of columns when there is none.
size_t FindColumn(const Table& table, std::string_view name);
// The index of the column that names a row: Table::key.
size_t KeyColumn(const Table& table);

// The table of that name, or the main table for an empty name; null when there is none.
const Table* FindTable(const Document& document, std::string_view name);

}  // namespace gait::report
