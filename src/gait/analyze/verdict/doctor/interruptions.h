// Interruptions: the times in which the thread of the loop does something other than training, and a name
// says so: the thread saves or restores, or it evaluates.
//
//   by name     of annotations and of people's Python functions: save_checkpoint, evaluate. Everything inside
//               is part of the interruption: a sleep in write_file in save_checkpoint.
//   not         a function around a whole step of the loop (train_and_evaluate, a main function); without
//               steps, an event that lasts for most of the time that the numbers cover
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/analyze/vocabulary/people_words.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

class Interruptions {
 public:
  // The time of the outermost event of a kind.
  struct Stretch {
    Interval time;
    StringId name;
  };

  // O(events of the thread).
  explicit Interruptions(const HostView& host);

  // The stretches of a kind in order, without overlap.
  const std::vector<Stretch>& of(Interruption kind) const { return of_[static_cast<size_t>(kind)]; }
  // Within: how much of the interval lies in stretches of the kind. At: the stretch that most of the interval
  // lies in; null: none. O(log all + stretches inside).
  Ps Within(Interruption kind, Interval interval) const;
  const Stretch* At(Interruption kind, Interval interval) const;

 private:
  void ForEachIn(Interruption kind, Interval interval, auto f) const;  // f(stretch, how much of the interval)

  std::array<std::vector<Stretch>, kInterruptions> of_;
};

// The interruptions of the view's host. Made once and kept with the view.
const Interruptions& InterruptionsOf(const HostView& host);

}  // namespace gait::analyze
