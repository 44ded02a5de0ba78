#include "gait/read/format/format.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gait::read {

void Peeked::Add(const Peeked& other) {
  gpus += other.gpus;
  tpus += other.tpus;
  host |= other.host;
  recognised |= other.recognised;
  if (other.start_unix_ns)
    start_unix_ns = std::min(start_unix_ns.value_or(*other.start_unix_ns), *other.start_unix_ns);
  state = std::max(state, other.state);
}

std::string Peeked::Devices() const {
  std::string text;
  if (gpus > 0) text = fmt::format("{} GPU", gpus);
  if (tpus > 0) text += fmt::format("{}{} TPU", text.empty() ? "" : ", ", tpus);
  if (text.empty() && host) text = "CPU";
  if (state == FileState::kWhole) return text.empty() ? "?" : text;
  constexpr std::array<std::string_view, 5> kStates = {"", "empty", "compressed", "damaged",
                                                       "cannot be opened"};
  return fmt::format("{}{}{}", text, text.empty() ? "" : ", ", kStates[static_cast<size_t>(state)]);
}

}  // namespace gait::read
