// The critical path of a step: the chain of device work, launches and host time that ends with the step.
//
// The path is walked backwards from the step's finish. A piece of work could begin when the last of these was
// done:
//   - the work before it on its track, or any other work of the device that ended before it began;
//   - its launch, if the call ended after that work. The path goes on at the begin of the call, on the thread
//     that made the call. A call that still runs when its work begins (graphs) launched the work some time
//     earlier. If such a call began before the other work ended, and the other work ended less than
//     kMostKernelGap ago, the path follows the other work;
//   - for a collective, the device that began the collective last, on this host or another. The path goes on
//     there, on clocks that collectives.h has aligned.
// On the host the path follows the thread backwards:
//   - A thread other than the Python thread, with nothing recorded for more than kMostLaunchDelay, had its
//     task from the Python thread: the path goes on there.
//   - Where the host waited for a result, the path goes on at the last work that ended before the wait ended.
//     The same holds where the thread stood still (thread_quiet.h) in no event that says what the thread did,
//     while the device of that work was busy for half of the time or more.
//   - Time in which the thread waited for another thread's input (inferred_waits.h) is input.
//   - Launch calls of the thread are launch overhead.
//   - A program's callback into Python is the host's time, also on a CPU, where the callback is an operation.
//
// Unit: picoseconds. Identity: the parts tile the step, from its begin to its finish, so their lengths sum to
// it exactly.
//
//   step without a class = max(step - the class's time on the path,
//                              the device's compute, communication and copies but the class, each by itself)
// This is a lower bound of the step if the class costs nothing: the rest of the chain remains, and work of
// one class overlaps itself no more than now. Waiting for other devices is no work: communication counts from
// the begin of the last device; where that begin is unknown, it does not count.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/host/path_class.h"
#include "gait/analyze/question/path/path_events.h"
#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// The time that each class of work runs on the device, hidden or not, without waiting for other devices.
struct DeviceTotals {
  Ps compute;
  Ps communication;
  Ps copies;

  // The length of a step if all three overlap and nothing else costs time.
  Ps PerfectOverlap() const { return std::max({compute, communication, copies}); }
};

// The path of one step on one device; where there are no steps, of the capture.
struct StepPath {
  const Step* step;  // null: no steps
  size_t device;     // in the view
  Interval time;
  Ps length;         // of the path: that of the time, or of what a chosen program has of it
  TimeByClass by{};  // sums to the length
  DeviceTotals device_work;

  // A lower bound of the step if these classes cost nothing.
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

  // Replaces `parts` by the parts of one path, the last part first, on the clock of the device's host.
  // O(events inside log events).
  void Walk(size_t device, Interval time, size_t host, std::vector<PathPart>& parts) const;
  // The same, summed: by class, and by name for the host of each part.
  void Sum(size_t device, Interval time, size_t host, TimeByClass& by, std::vector<PathEvents>& names) const;
  // The communication of a device, each collective from the begin of its last peer, where that is known.
  IntervalPrefixSum JoinedCommunication(size_t device, size_t host) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

HostPath FindPaths(const HostView& view, const HostActivity& activity);
std::vector<HostPath> FindPaths(const RunView& view);  // by host

}  // namespace gait::analyze
