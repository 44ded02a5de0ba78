#include "gait/report/list_cell.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/report/json.h"

namespace gait::report {

Cell ListCell(const std::vector<std::string>& items, std::string_view separator, size_t most) {
  std::vector<std::string> quoted;
  for (const std::string& item : items) quoted.push_back(JsonString(item));
  const auto shown = static_cast<ptrdiff_t>(std::min(items.size(), most));
  std::string plain = fmt::format("{}", fmt::join(items.begin(), items.begin() + shown, separator));
  if (items.size() > most) plain += fmt::format(", and {} more", items.size() - most);
  return Cell::Json(fmt::format("[{}]", fmt::join(quoted, ",")), std::move(plain));
}

Cell RawListCell(const std::vector<std::string>& items, std::string_view separator) {
  return Cell::Json(fmt::format("[{}]", fmt::join(items, ",")),
                    fmt::format("{}", fmt::join(items, separator)));
}

}  // namespace gait::report
