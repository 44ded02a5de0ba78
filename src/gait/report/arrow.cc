#include "gait/report/arrow.h"

#include <array>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "gait/report/unicode.h"

namespace gait::report {
namespace {

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

struct ArrowColumn {
  std::string name;
  const char* format = "";  // of the interface: "l" int64, "L" uint64, "g" float64, "u" utf8, "U" large utf8
  std::string metadata;     // as the interface encodes it
  int64_t nulls = 0;
  std::vector<uint8_t> validity;  // a bit per row; empty: all are known
  std::vector<int64_t> numbers;   // int64, or the bits of uint64 and float64
  std::vector<int32_t> offsets;   // of "u"
  std::vector<int64_t> large_offsets;
  std::string text;

  bool is_text() const { return *format == 'u' || *format == 'U'; }
};

void AppendInt32(std::string& out, size_t value) {
  const auto number = static_cast<int32_t>(value);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Pairs of strings, each with its length in front, in the machine's own order of bytes.
std::string Metadata(const Column& column) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  if (!column.unit.empty()) pairs.emplace_back("unit", column.unit);
  if (!column.about.empty()) pairs.emplace_back("about", column.about);
  if (pairs.empty()) return {};
  std::string encoded;
  AppendInt32(encoded, pairs.size());
  for (const auto& [key, value] : pairs) {
    for (const std::string_view part : {key, value}) {
      AppendInt32(encoded, part.size());
      encoded += part;
    }
  }
  return encoded;
}

bool IsKnown(const Cell& cell, bool as_text) {
  return as_text ? cell.kind() != Cell::Kind::kUnknown : cell.number().has_value();
}

// What a column of text shows of a cell: values that differ in type come as JSON writes them.
std::string TextOf(const Cell& cell) {
  if (cell.kind() == Cell::Kind::kJson) return cell.json();
  return cell.has_text() ? ValidUtf8(cell.text()) : cell.RawNumber();
}

void FillNumbers(ArrowColumn& column, const std::vector<const Cell*>& cells) {
  column.numbers.reserve(cells.size());
  for (const Cell* cell : cells) {
    if (*column.format != 'g') {
      column.numbers.push_back(cell->number() ? cell->integer() : 0);
    } else {
      column.numbers.push_back(std::bit_cast<int64_t>(cell->number().value_or(0)));
    }
  }
}

void FillText(ArrowColumn& column, const std::vector<const Cell*>& cells) {
  std::vector<int64_t> offsets = {0};
  for (const Cell* cell : cells) {
    if (cell->kind() != Cell::Kind::kUnknown) column.text += TextOf(*cell);
    offsets.push_back(static_cast<int64_t>(column.text.size()));
  }
  if (offsets.back() <= std::numeric_limits<int32_t>::max()) {
    for (const int64_t offset : offsets) column.offsets.push_back(static_cast<int32_t>(offset));
  } else {
    column.format = "U";
    column.large_offsets = std::move(offsets);
  }
}

// The narrowest type that holds all values; what the column says where it has no values.
const char* FormatOf(const Column& column, const std::vector<const Cell*>& cells) {
  bool integers = column.type == Type::kInteger;
  bool text = column.type == Type::kText || column.type == Type::kAny;
  bool large = false;
  for (const Cell* cell : cells) {
    const Cell::Kind kind = cell->kind();
    text |= cell->has_text();
    if (kind == Cell::Kind::kDouble) integers = false;
    large |= kind == Cell::Kind::kUint && cell->integer() < 0;
  }
  if (text) return "u";
  if (!integers) return "g";
  return large ? "L" : "l";
}

ArrowColumn MakeColumn(const Column& column, const std::vector<const Cell*>& cells) {
  ArrowColumn made;
  made.name = column.name;
  made.format = FormatOf(column, cells);
  made.metadata = Metadata(column);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (IsKnown(*cells[i], made.is_text())) continue;
    if (made.validity.empty()) made.validity.assign((cells.size() + 7) / 8, 0xff);
    made.validity[i / 8] &= static_cast<uint8_t>(~(1U << (i % 8)));
    ++made.nulls;
  }
  if (made.is_text()) {
    FillText(made, cells);
  } else {
    FillNumbers(made, cells);
  }
  return made;
}

}  // namespace

class ArrowColumns {
 public:
  explicit ArrowColumns(const Table& table) {
    std::vector<Row> made;  // rows of a source are made only once
    if (table.more) {
      for (Row row; table.more(row); row = {}) made.push_back(std::move(row));
    }
    length = static_cast<int64_t>(table.rows.size() + made.size());
    static const Cell unknown;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      std::vector<const Cell*> cells;
      cells.reserve(static_cast<size_t>(length));
      for (const std::vector<Row>* rows : {&table.rows, &std::as_const(made)}) {
        for (const Row& row : *rows) cells.push_back(c < row.size() ? &row[c] : &unknown);
      }
      columns.push_back(MakeColumn(table.columns[c], cells));
    }
  }

  int64_t length = 0;
  std::vector<ArrowColumn> columns;
};

std::shared_ptr<const ArrowColumns> MakeArrowColumns(const Table& table) {
  return std::make_shared<const ArrowColumns>(table);
}

namespace {

// What a schema or an array of ours holds on to. Children may be moved out and released by themselves, so
// each has its own.
template <typename Exported>
struct Holder {
  std::shared_ptr<const ArrowColumns> columns;
  std::vector<Exported> children;
  std::vector<Exported*> child_pointers;
  std::array<const void*, 3> buffers{};
};

template <typename Exported>
void Release(Exported* exported) {
  auto* const holder = static_cast<Holder<Exported>*>(exported->private_data);
  for (Exported& child : holder->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete holder;
  exported->release = nullptr;
}

template <typename Exported>
Holder<Exported>* Hold(Exported* out, const std::shared_ptr<const ArrowColumns>& columns) {
  auto* const holder = new Holder<Exported>{columns, {}, {}, {}};
  *out = {};
  out->private_data = holder;
  out->release = Release<Exported>;
  return holder;
}

template <typename Exported>
void SetChildren(Exported* out, Holder<Exported>* holder) {
  for (Exported& child : holder->children) holder->child_pointers.push_back(&child);
  out->n_children = static_cast<int64_t>(holder->children.size());
  out->children = holder->child_pointers.data();
}

}  // namespace

void ExportSchema(const std::shared_ptr<const ArrowColumns>& columns, ArrowSchema* out) {
  Holder<ArrowSchema>* const holder = Hold(out, columns);
  out->format = "+s";
  out->name = "";
  holder->children.resize(columns->columns.size());
  for (size_t i = 0; i < holder->children.size(); ++i) {
    const ArrowColumn& column = columns->columns[i];
    ArrowSchema& child = holder->children[i];
    Hold(&child, columns);
    child.format = column.format;
    child.name = column.name.c_str();
    child.metadata = column.metadata.empty() ? nullptr : column.metadata.data();
    child.flags = kNullable;
  }
  SetChildren(out, holder);
}

void ExportArray(const std::shared_ptr<const ArrowColumns>& columns, ArrowArray* out) {
  Holder<ArrowArray>* const holder = Hold(out, columns);
  out->length = columns->length;
  out->n_buffers = 1;  // no row as a whole is unknown
  out->buffers = holder->buffers.data();
  holder->children.resize(columns->columns.size());
  for (size_t i = 0; i < holder->children.size(); ++i) {
    const ArrowColumn& column = columns->columns[i];
    ArrowArray& child = holder->children[i];
    Holder<ArrowArray>* const held = Hold(&child, columns);
    child.length = columns->length;
    child.null_count = column.nulls;
    held->buffers[0] = column.validity.empty() ? nullptr : column.validity.data();
    if (column.is_text()) {
      held->buffers[1] = *column.format == 'u' ? static_cast<const void*>(column.offsets.data())
                                               : static_cast<const void*>(column.large_offsets.data());
      held->buffers[2] = column.text.data();
    } else {
      held->buffers[1] = column.numbers.data();
    }
    child.n_buffers = column.is_text() ? 3 : 2;
    child.buffers = held->buffers.data();
  }
  SetChildren(out, holder);
}

void ExportStream(const std::shared_ptr<const ArrowColumns>& columns, ArrowArrayStream* out) {
  struct State {
    std::shared_ptr<const ArrowColumns> columns;
    bool done = false;
  };
  *out = {};
  out->private_data = new State{columns};
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    ExportSchema(static_cast<State*>(stream->private_data)->columns, schema);
    return 0;
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    auto* const state = static_cast<State*>(stream->private_data);
    if (state->done) {
      *array = {};  // released: the end
    } else {
      ExportArray(state->columns, array);
      state->done = true;
    }
    return 0;
  };
  out->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  out->release = [](ArrowArrayStream* stream) {
    delete static_cast<State*>(stream->private_data);
    stream->release = nullptr;
  };
}

}  // namespace gait::report
