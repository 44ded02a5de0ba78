#include "gait/analyze/verdict/check/limit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

struct Unit {
  std::string_view name;
  MetricUnit unit;
  double factor;
};
// In any case: 12MS and 70gb are clear, and no two units differ in nothing else.
constexpr std::array<Unit, 17> kUnits = {{{"ps", MetricUnit::kTime, 1},
                                          {"ns", MetricUnit::kTime, 1e3},
                                          {"us", MetricUnit::kTime, 1e6},
                                          {"µs", MetricUnit::kTime, 1e6},
                                          {"ms", MetricUnit::kTime, 1e9},
                                          {"s", MetricUnit::kTime, 1e12},
                                          {"min", MetricUnit::kTime, 60e12},
                                          {"%", MetricUnit::kPercent, 1},
                                          {"B", MetricUnit::kBytes, 1},
                                          {"kB", MetricUnit::kBytes, 1e3},
                                          {"MB", MetricUnit::kBytes, 1e6},
                                          {"GB", MetricUnit::kBytes, 1e9},
                                          {"TB", MetricUnit::kBytes, 1e12},
                                          {"KiB", MetricUnit::kBytes, 1024.0},
                                          {"MiB", MetricUnit::kBytes, 1048576.0},
                                          {"GiB", MetricUnit::kBytes, 1073741824.0},
                                          {"TiB", MetricUnit::kBytes, 1099511627776.0}}};
// Longer ones first.
constexpr std::array<std::pair<std::string_view, Comparison>, 6> kComparisons = {
    {{"<=", Comparison::kLessEqual},
     {">=", Comparison::kGreaterEqual},
     {"==", Comparison::kEqual},
     {"!=", Comparison::kNotEqual},
     {"<", Comparison::kLess},
     {">", Comparison::kGreater}}};

std::string_view Trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

bool SameUnit(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::string_view Name(Comparison comparison) {
  return std::ranges::find(kComparisons, comparison, &std::pair<std::string_view, Comparison>::second)->first;
}

Result<Limit> ParseLimit(std::string_view given) {
  const auto wrong = [&] {
    return UsageError(
        fmt::format("'{}' is no limit.", given),
        "A limit is a metric, a comparison and a value: 'step_time < 12ms', 'device_busy > 80%'");
  };
  Limit limit;
  limit.text = Trim(given);
  std::string_view rest = Trim(given);
  const size_t name_end = rest.find_first_of("<>=!");
  if (name_end == std::string_view::npos || name_end == 0) return wrong();
  limit.metric = Trim(rest.substr(0, name_end));
  rest.remove_prefix(name_end);
  const auto comparison =
      std::ranges::find_if(kComparisons, [&](const auto& entry) { return rest.starts_with(entry.first); });
  if (comparison == kComparisons.end()) return wrong();
  limit.comparison = comparison->second;
  rest = Trim(rest.substr(comparison->first.size()));
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), limit.value);
  if (error != std::errc() || !std::isfinite(limit.value)) return wrong();
  const std::string_view unit = Trim(rest.substr(static_cast<size_t>(end - rest.data())));
  limit.plain = unit.empty();
  if (limit.plain) return limit;
  const auto found =
      std::ranges::find_if(kUnits, [&](const Unit& known) { return SameUnit(known.name, unit); });
  if (found == kUnits.end()) {
    return UsageError(fmt::format("'{}': there is no unit '{}'.", given, unit),
                      "Units: ns, us, ms, s; %; MB, GB, MiB, GiB");
  }
  limit.unit = found->unit;
  limit.value *= found->factor;
  return limit;
}

bool Fits(const Limit& limit, const Metric& metric) { return limit.plain || limit.unit == metric.unit; }

bool Holds(const Limit& limit, const Metric& metric) {
  const double value = *metric.value;
  const double factor = !limit.plain                          ? 1
                        : metric.unit == MetricUnit::kTime    ? 1e9
                        : metric.unit == MetricUnit::kPercent ? 100
                                                              : 1;
  const double bound = limit.value * factor;
  switch (limit.comparison) {
    case Comparison::kLess:
      return value < bound;
    case Comparison::kLessEqual:
      return value <= bound;
    case Comparison::kGreater:
      return value > bound;
    case Comparison::kGreaterEqual:
      return value >= bound;
    case Comparison::kEqual:
      return value == bound;
    case Comparison::kNotEqual:
      return value != bound;
  }
  return false;
}

}  // namespace gait::analyze
