#include "gait/analyze/run/selection.h"

#include <charconv>
#include <string_view>

namespace gait::analyze {

Result<void> ParseSteps(const std::string& text, Selection& selection) {
  if (text.empty()) return {};
  const auto number = [&](std::string_view part, std::optional<int64_t>& out) {
    if (part.empty()) return true;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    out = value;
    return error == std::errc() && end == part.data() + part.size();
  };
  const std::string_view view = text;
  const size_t colon = view.find(':');
  const bool one = colon == std::string_view::npos;
  const bool good = number(view.substr(0, colon), selection.first_step) &&
                    number(one ? view : view.substr(colon + 1), selection.last_step);
  if (!good || text == ":") {
    return UsageError("'" + text + "' is not a range of steps.", "Write it as 3:8, 3:, :8 or 3.");
  }
  return {};
}

}  // namespace gait::analyze
