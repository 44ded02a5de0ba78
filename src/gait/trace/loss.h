// Losses: counts of everything that was dropped, repaired or capped on the way from the file to the Trace,
// with the place and the reason. Bad input is data; every report shows the losses that are not zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gait {

enum class LossKind : uint8_t {
  kTruncated,   // the file, a plane, a line or a message ends early
  kDropped,     // events or arguments that could not be read, or that the capture itself dropped
  kRepaired,    // read, but changed: clamped times, reordered events
  kCapped,      // beyond a limit of gait's own (base/limits.h)
  kUnresolved,  // a reference to an id that the file does not define
  kUnfinished,  // launches of a program (the place) whose work has no end in the capture
  kDoubtful,    // kept as the file has it, though it can hardly be true
  kCapture,     // what the profiler itself reported: XSpace errors and warnings
};

std::string_view Name(LossKind kind);  // "truncated", "dropped", ...

struct Loss {
  LossKind kind = LossKind::kDropped;
  std::string place;   // "/device:GPU:0 Stream #14", "byte 1234"
  std::string reason;  // "negative duration"
  uint64_t count = 0;

  friend bool operator==(const Loss&, const Loss&) = default;
};

// "2 launches of jit_step have no end", "3 dropped: negative duration (/host:CPU python)"; `count` is the
// text of the count for people.
std::string LossText(const Loss& loss, std::string_view count);

// Counts by (kind, place, reason). Not thread-safe: every reader thread has its own log, and the logs are
// merged in the order of the file.
class LossLog {
 public:
  void Add(LossKind kind, std::string_view place, std::string_view reason, uint64_t count = 1);
  void Merge(const LossLog& other);
  const std::vector<Loss>& losses() const { return losses_; }

 private:
  std::vector<Loss> losses_;
};

}  // namespace gait
