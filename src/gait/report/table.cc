#include "gait/report/table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gait::report {

std::string Cell::RawNumber() const {
  switch (kind_) {
    case Kind::kInt:
    case Kind::kTime:
      return std::to_string(static_cast<int64_t>(bits_));
    case Kind::kUint:
      return std::to_string(bits_);
    case Kind::kDouble: {
      const double value = std::bit_cast<double>(bits_);
      return std::isfinite(value) ? fmt::format("{}", value)
                                  : std::string();  // the shortest that reads back equal
    }
    case Kind::kUnknown:
    case Kind::kText:
    case Kind::kJson:
      break;
  }
  return {};
}

std::optional<double> Cell::number() const {
  switch (kind_) {
    case Kind::kInt:
    case Kind::kTime:
      return static_cast<double>(static_cast<int64_t>(bits_));
    case Kind::kUint:
      return static_cast<double>(bits_);
    case Kind::kDouble: {
      const double value = std::bit_cast<double>(bits_);
      return std::isfinite(value) ? std::optional(value) : std::nullopt;
    }
    case Kind::kUnknown:
    case Kind::kText:
    case Kind::kJson:
      break;
  }
  return std::nullopt;
}

std::string_view Name(Type type) {
  switch (type) {
    case Type::kText:
      return "string";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kAny:
      return "any";
  }
  return "string";
}

size_t FindColumn(const Table& table, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(table.columns, name, &Column::name) - table.columns.begin());
}

size_t KeyColumn(const Table& table) {
  if (!table.key.empty()) return FindColumn(table, table.key);
  const auto found = std::ranges::find_if(
      table.columns, [](const Column& c) { return c.type == Type::kText && !c.show.hidden; });
  return static_cast<size_t>(found - table.columns.begin());
}

const Table* FindTable(const Document& document, std::string_view name) {
  if (name.empty()) name = document.main_table;
  if (name.empty()) return document.tables.empty() ? nullptr : &document.tables.front();
  for (const Table& table : document.tables) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

}  // namespace gait::report
