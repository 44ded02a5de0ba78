#include "gait/cli/run_settings.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gait/base/parse_number.h"

namespace gait::cli {
namespace {

constexpr uint64_t kDefaultCount = 5;  // gait._schedule.DEFAULT_COUNT

std::string CheckFrom(uint64_t least, const std::string& value) {
  const auto number = ParseNumber<uint64_t>(value);
  return number && *number >= least ? ""
                                    : fmt::format("'{}' is no whole number of at least {}.", value, least);
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// How many steps each range has, or what is wrong with one.
std::expected<std::vector<uint64_t>, std::string> ParseRanges(std::string_view text) {
  std::vector<uint64_t> counts;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = Trimmed(text.substr(0, comma));
    const size_t colon = part.find(':');
    const auto first = ParseNumber<uint64_t>(part.substr(0, colon));
    const auto last = colon == std::string_view::npos ? first : ParseNumber<uint64_t>(part.substr(colon + 1));
    if (!first || !last)
      return std::unexpected(fmt::format("'{}' is no step and no range of steps such as 100:105.", part));
    if (*last < *first)
      return std::unexpected(fmt::format("'{}' is no range of steps: it begins after its end.", part));
    counts.push_back(*last - *first + 1);
    if (comma == std::string_view::npos) return counts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string CheckSteps(const std::string& value) {
  const auto ranges = ParseRanges(value);
  return ranges ? "" : ranges.error();
}

std::string CheckFromZero(const std::string& value) { return CheckFrom(0, value); }

std::string CheckFromOne(const std::string& value) { return CheckFrom(1, value); }

std::string CheckFactor(const std::string& value) {
  return ParseNumber<double>(value).value_or(0) > 1 ? "" : fmt::format("'{}' is no factor above 1.", value);
}

std::string CheckSeconds(const std::string& value) {
  return ParseNumber<double>(value).value_or(0) > 0
             ? ""
             : fmt::format("'{}' is no time above zero, in seconds.", value);
}

std::string CheckText(const std::string& value) {
  const size_t comma = value.find(',');
  // It goes through GAIT, where "," and a name with "=" begin the next setting.
  if (comma == std::string::npos || value.find('=', comma) == std::string::npos) return "";
  return fmt::format("'{}' has a ',' and then a '=', which gait run cannot pass on.", value);
}

std::string CheckName(const std::string& value) {
  for (size_t at = value.find('{'); at != std::string::npos; at = value.find('{', at + 1)) {
    const std::string_view rest = std::string_view(value).substr(at);
    if (rest.starts_with("{{")) {
      ++at;
    } else if (!rest.starts_with("{step}") && !rest.starts_with("{step:")) {
      return fmt::format("'{}' may hold the first step, as {{step:08d}}, and nothing else in braces.", value);
    }
  }
  return CheckText(value);
}

Result<void> CheckTogether(const std::map<std::string, std::string>& settings, bool alone) {
  const auto number = [&](const char* key) -> std::optional<uint64_t> {
    const auto found = settings.find(key);
    return found == settings.end() ? std::nullopt : ParseNumber<uint64_t>(found->second);
  };
  const uint64_t every = number("every").value_or(0);
  if (every == 0) return {};
  std::optional<uint64_t> count = number("count");
  if (const auto steps = settings.find("steps"); steps != settings.end()) {
    const auto ranges = ParseRanges(steps->second);
    if (ranges && ranges->size() > 1) {
      return UsageError(fmt::format("--every repeats one range of steps, not {}.", steps->second),
                        "Give one range, or no --every.");
    }
    if (ranges) count = ranges->front();
  }
  if (!count && alone) count = kDefaultCount;
  if (count && every < *count) {
    return UsageError(
        fmt::format("--every {} begins the next capture before the {} steps of one are over.", every, *count),
        "Give a larger --every, or fewer steps with --count.");
  }
  return {};
}

}  // namespace gait::cli
