#include "gait/report/progress.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "gait/report/terminal.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

using namespace std::chrono_literals;
constexpr auto kQuietTime = 1s;
constexpr auto kInterval = 100ms;
constexpr size_t kBar = 24;

void WriteAll(int descriptor, const std::string& text) {
  // Nothing depends on the bar: a failed write is not worth a word.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

}  // namespace

Progress::Progress(int descriptor, const std::string& what, bool quiet)
    : descriptor_(descriptor),
      what_(Printable(what)),
      enabled_(!quiet && ::isatty(descriptor) == 1),
      next_draw_((Clock::now() + kQuietTime).time_since_epoch().count()) {}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  if (drawn_) WriteAll(descriptor_, "\r\x1b[K");
}

void Progress::Report(double fraction) {
  if (!enabled_) return;
  const auto now = Clock::now();
  auto due = next_draw_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < due) return;
  const auto next = (now + kInterval).time_since_epoch().count();
  if (next_draw_.compare_exchange_strong(due, next)) Draw(std::clamp(fraction, 0.0, 1.0));
}

void Progress::Draw(double fraction) {
  const std::lock_guard lock(mutex_);
  const auto full = static_cast<size_t>(fraction * kBar);
  std::string bar;
  for (size_t i = 0; i < kBar; ++i) bar += i < full ? "█" : "░";
  const size_t width = TerminalWidth(descriptor_);
  const size_t room = width > kBar + 10 ? width - kBar - 10 : 0;
  WriteAll(descriptor_, fmt::format("\r{} {:3.0f} %  {}\x1b[K", bar, fraction * 100, CutMiddle(what_, room)));
  drawn_ = true;
}

}  // namespace gait::report
