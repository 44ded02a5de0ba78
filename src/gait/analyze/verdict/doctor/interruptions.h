// Interruptions: what the thread of the loop does beside training, where it has a name: it saves or restores,
// or it evaluates.
//
//   by name     of annotations and of people's Python functions: save_checkpoint, evaluate. All that runs
//   inside
//               is part of it, so a sleep in write_file in save_checkpoint is.
//   not         what a whole step of the loop runs in (train_and_evaluate, a main function); without steps,
//               what lasts for most of the time that the numbers cover
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

enum class Interruption : uint8_t { kCheckpoint, kEvaluation };
inline constexpr size_t kInterruptions = 2;

// What the name of an annotation or of a Python frame says.
std::optional<Interruption> InterruptionOfName(std::string_view name);
bool NamesEvaluation(std::string_view annotation);

class Interruptions {
 public:
  // From the outermost event of its kind.
  struct Stretch {
    Interval time;
    StringId name;
  };

  // O(events of the thread).
  explicit Interruptions(const HostView& host);

  // In order, without overlap.
  const std::vector<Stretch>& of(Interruption kind) const { return of_[static_cast<size_t>(kind)]; }
  // How much of the interval lies in them, and the one that most of it lies in; null: none. O(log all + those
  // inside).
  Ps Within(Interruption kind, Interval interval) const;
  const Stretch* At(Interruption kind, Interval interval) const;

 private:
  void ForEachIn(Interruption kind, Interval interval, auto f) const;  // f(stretch, how much of the interval)

  std::array<std::vector<Stretch>, kInterruptions> of_;
};

// Of the view's host; made once and kept with the view.
const Interruptions& InterruptionsOf(const HostView& host);

}  // namespace gait::analyze
