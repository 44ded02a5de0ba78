#include "gait/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gait::report {
namespace {

constexpr size_t kFallback = 80;
constexpr size_t kNarrowest = 20;
constexpr size_t kWidest = 10'000;

}  // namespace

size_t TerminalWidth(int descriptor) {
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width >= kNarrowest && width <= kWidest) {
      return width;
    }
  }
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest) return size.ws_col;
  return kFallback;
}

bool WantsColor(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace gait::report
