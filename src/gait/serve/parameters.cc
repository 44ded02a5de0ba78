#include "gait/serve/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gait::serve {

ParameterNames Joined(std::initializer_list<ParameterNames> lists) {
  ParameterNames all;
  for (const ParameterNames& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Result<void> Parameters::Allow(const ParameterNames& names) const {
  for (const auto& [name, value] : given_) {
    if (name == "v") continue;
    if (std::ranges::find(names, name) == names.end()) {
      return UsageError(
          fmt::format("there is no parameter '{}' here.", name),
          names.empty() ? "It takes none." : fmt::format("There are: {}", fmt::join(names, ", ")));
    }
    // Files, and runs to compare with.
    if (given_.count(name) > 1 && name != "file" && name != "with") {
      return UsageError(fmt::format("the parameter '{}' is given twice.", name));
    }
  }
  return {};
}

std::string Parameters::Text(const std::string& name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::string() : found->second;
}

std::vector<std::string> Parameters::All(const std::string& name) const {
  std::vector<std::string> values;
  const auto [first, last] = given_.equal_range(name);
  for (auto at = first; at != last; ++at) values.push_back(at->second);
  return values;
}

Result<bool> Parameters::Flag(const std::string& name) const {
  const std::string text = Text(name);
  if (text.empty() || text == "0") return false;
  if (text == "1") return true;
  return UsageError(fmt::format("{} is 1 or 0, not '{}'.", name, text));
}

Result<std::optional<int64_t>> Parameters::Integer(const std::string& name, int64_t least,
                                                   int64_t most) const {
  const std::string text = Text(name);
  if (!Has(name)) return std::optional<int64_t>();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return UsageError(fmt::format("{} is a whole number from {} to {}, not '{}'.", name, least, most, text));
  }
  return std::optional(value);
}

Result<std::optional<double>> Parameters::Number(const std::string& name) const {
  const std::string text = Text(name);
  if (!Has(name)) return std::optional<double>();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return UsageError(fmt::format("{} is a number, not '{}'.", name, text));
  }
  return std::optional(value);
}

Result<report::TableOptions> RowOptionsOf(const Parameters& parameters) {
  report::TableOptions rows;
  rows.table = parameters.Text("table");
  rows.sort = parameters.Text("sort");
  rows.name = parameters.Text("name");
  rows.min = parameters.Text("min");
  GAIT_TRY(rows.explain, parameters.Flag("explain"));
  GAIT_TRY(const std::optional<int64_t> top,
           parameters.Integer("top", 0, std::numeric_limits<int64_t>::max()));
  if (top) rows.top = static_cast<size_t>(*top);
  return rows;
}

Result<analyze::Selection> SelectionOf(const Parameters& parameters) {
  analyze::Selection selection;
  selection.device = parameters.Text("device");
  selection.host = parameters.Text("host");
  selection.program = parameters.Text("program");
  selection.series = parameters.Text("series");
  GAIT_CHECK_OK(analyze::ParseSteps(parameters.Text("steps"), selection));
  return selection;
}

}  // namespace gait::serve
