#include "gait/base/parse_time.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace gait {
namespace {

struct TimeUnit {
  std::string_view name;
  double picoseconds;
};
constexpr std::array<TimeUnit, 7> kUnits = {
    {{"", 1e9}, {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"µs", 1e6}, {"ms", 1e9}, {"s", 1e12}}};

}  // namespace

Result<Ps> ParseTime(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  std::string_view rest(parsed, static_cast<size_t>(end - parsed));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error == std::errc()) {
    for (const TimeUnit& unit : kUnits) {
      if (rest != unit.name) continue;
      const double picoseconds = std::round(number * unit.picoseconds);
      if (std::abs(picoseconds) <= static_cast<double>(kMaxTime.value()))
        return Ps(static_cast<int64_t>(picoseconds));
    }
  }
  return UsageError("'" + std::string(text) + "' is no time.",
                    "Write it as 1.5ms, 300us, 2s; a plain number is ms.");
}

}  // namespace gait
