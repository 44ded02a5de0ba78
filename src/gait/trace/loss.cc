#include "gait/trace/loss.h"

#include <algorithm>

#include "gait/base/limits.h"

namespace gait {

std::string_view Name(LossKind kind) {
  switch (kind) {
    case LossKind::kTruncated:
      return "truncated";
    case LossKind::kDropped:
      return "dropped";
    case LossKind::kRepaired:
      return "repaired";
    case LossKind::kCapped:
      return "capped";
    case LossKind::kUnresolved:
      return "unresolved";
    case LossKind::kUnfinished:
      return "unfinished";
    case LossKind::kDoubtful:
      return "doubtful";
    case LossKind::kCapture:
      return "capture";
  }
  return "unknown";
}

namespace {

std::string_view InWords(LossKind kind) {
  switch (kind) {
    case LossKind::kTruncated:
      return "cut short";
    case LossKind::kDropped:
      return "dropped";
    case LossKind::kRepaired:
      return "repaired";
    case LossKind::kCapped:
      return "beyond a limit";
    case LossKind::kUnresolved:
      return "unresolved";
    case LossKind::kUnfinished:
      return "unfinished";
    case LossKind::kDoubtful:
      return "doubtful";
    case LossKind::kCapture:
      return "reported by the profiler";
  }
  return "lost";
}

}  // namespace

std::string LossText(const Loss& loss, std::string_view count) {
  std::string text(count);
  if (loss.kind == LossKind::kUnfinished) {
    return text.append(loss.count == 1 ? " launch of " : " launches of ")
        .append(loss.place)
        .append(loss.count == 1 ? " has " : " have ")
        .append(loss.reason);
  }
  text.append(" ").append(InWords(loss.kind)).append(": ").append(loss.reason);
  return loss.place.empty() ? text : text.append(" (").append(loss.place).append(")");
}

void LossLog::Add(LossKind kind, std::string_view place, std::string_view reason, uint64_t count) {
  if (count == 0) return;
  const auto same = [&](const Loss& loss) {
    return loss.kind == kind && loss.reason == reason && loss.place == place;
  };
  // Newest first: a reader meets the same trouble many times in a row.
  auto found = std::find_if(losses_.rbegin(), losses_.rend(), same);
  if (found == losses_.rend() && losses_.size() >= limits::kMaxLossPlaces) {
    place = "further places";
    found = std::find_if(losses_.rbegin(), losses_.rend(), same);
  }
  if (found == losses_.rend() && losses_.size() >= 2 * limits::kMaxLossPlaces) {
    reason = "further reasons";
    found = std::find_if(losses_.rbegin(), losses_.rend(), same);
  }
  if (found != losses_.rend()) {
    found->count += count;
  } else {
    losses_.push_back({kind, std::string(place), std::string(reason), count});
  }
}

void LossLog::Merge(const LossLog& other) {
  for (const Loss& loss : other.losses_) Add(loss.kind, loss.place, loss.reason, loss.count);
}

}  // namespace gait
