// The critical path of a step: the chain of device work, launches and host time that ends with the step.
//
// Walked backwards from the step's finish. A piece of work began when the last of these was done:
//   - the work before it on its track, or any other work of the device that ended before it began;
//   - its launch, where the call ended after that work had. The path goes on at the begin of the call, on the
//     thread that made it. A call that still ran when its work began (graphs) had launched it some time
//     before: where it began before the other work ended, and that was less than kMostKernelGap ago, that
//     work counts;
//   - of a collective, the device that began it last, on this host or another: the path goes on there, on the
//     clocks as collectives.h aligns them.
// On the host the path follows the thread: what it did before. A thread that is not the Python thread and of
// which nothing is recorded for more than kMostLaunchDelay had got its task from that one. Where the host
// waited for a result, the path goes on at the last work that ended before the wait did; so it does where the
// thread stood still (thread_quiet.h) while that work's device was busy for half of the time or more, in no
// event that says what it did. The time in which it waited for another thread's
// input (inferred_waits.h) is input. Launch calls that the thread made are launch overhead. A program's
// callback into Python is the host's time, also on a CPU, where it is an operation.
//
// Unit: picoseconds. Identity: the parts tile the step, from its begin to its finish, so their lengths sum to
// it exactly.
//
//   step without a class = max(step - the class's time on the path,
//                              the device's compute, communication and copies but the class, each by itself)
// It is a lower bound of what the step takes when the class costs nothing: the rest of the chain remains, and
// work of one class does not overlap itself more than it does. Waiting for other devices is no work:
// communication counts from where the last device began it, and not where that is unknown.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/question/path/path_class.h"
#include "gait/analyze/question/path/path_events.h"
#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// How long each class of work runs on the device, hidden or not, without waiting for other devices.
struct DeviceTotals {
  Ps compute;
  Ps communication;
  Ps copies;

  // What a step takes if all three overlap and nothing else costs time.
  Ps PerfectOverlap() const { return std::max({compute, communication, copies}); }
};

// The path of one step on one device, or of the capture where there are no steps.
struct StepPath {
  const Step* step;  // null: no steps
  size_t device;     // in the view
  Interval time;
  Ps length;         // of the path: that of the time, or of what a chosen program has of it
  TimeByClass by{};  // sums to the length
  DeviceTotals device_work;

  // The step, at least, if these cost nothing.
  Ps Without(std::initializer_list<PathClass> classes) const;
};

struct HostPath {
  const HostView* view;
  std::vector<StepPath> paths;    // of its devices, by device and step
  std::vector<PathEvent> events;  // of this host, on the paths of all hosts; the longest first
};

class PathFinder {
 public:
  PathFinder(const HostView& view, const HostActivity& activity);  // of a host by itself
  explicit PathFinder(const RunView& view);
  ~PathFinder();
  PathFinder(const PathFinder&) = delete;
  PathFinder& operator=(const PathFinder&) = delete;

  // The parts of one path, the last first, in place of what `parts` held. On the clock of the host whose
  // device it is. O(events inside log events).
  void Walk(size_t device, Interval time, size_t host, std::vector<PathPart>& parts) const;
  // The same, summed: by class, and by name into those of the host that the part is of.
  void Sum(size_t device, Interval time, size_t host, TimeByClass& by, std::vector<PathEvents>& names) const;
  // The communication of a device from where the last of its peers began each, where that is known.
  IntervalPrefixSum JoinedCommunication(size_t device, size_t host) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

HostPath FindPaths(const HostView& view, const HostActivity& activity);
std::vector<HostPath> FindPaths(const RunView& view);  // by host

}  // namespace gait::analyze
