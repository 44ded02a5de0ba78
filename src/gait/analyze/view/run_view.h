// RunView: a run, narrowed to what was asked for, with what every analysis needs from it made once: devices,
// steps, launches, classes of work, and the time that the numbers cover.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/launches.h"
#include "gait/analyze/device/partition.h"
#include "gait/analyze/device/work_class.h"
#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/run/memo.h"
#include "gait/analyze/run/selection.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/base/result.h"

namespace gait::analyze {

class HostActivity;

struct HostView {
  const LoadedHost* host;
  std::vector<Device> devices;  // selected ones that did anything
  Launches launches;
  HostWorkItems work;  // by device
  // The one with the most device work first; only selected steps. Empty with a program that ran in none.
  std::vector<StepSeries> series;
  std::vector<DeviceTime> times;  // by device
  // By device, the time that numbers of a report cover: its complete steps of the first series, all its
  // selected steps where none is complete, and from the host's first device event to its last where there
  // are no steps. With a selected program only the times at which the device was at its work: from an event
  // of the program to the last one before another program's; the first series is then the one that ran most
  // of it, and of a program that ran in no step all its times count.
  std::vector<IntervalSet> windows;
  // With a selected program, by device: when the device was at its work, in steps and outside.
  std::vector<IntervalSet> turns{};
  std::vector<bool> programs{};         // by ProgramIndex: the selected ones; empty: no program was selected
  int64_t steps = 0;                    // how many the windows hold; 0: there are none
  std::vector<int64_t> device_steps{};  // by device: those that it worked for
  bool outside_steps = false;           // there are steps, but the selected program ran in none
  std::vector<StepSeries> unchosen{};   // kinds of steps that were not selected
  // Kinds of steps whose work the windows leave out, or hold only where it ran beside steps of the first.
  struct LeftOut {
    std::string series;
    size_t steps;
    Ps time;         // of these together
    bool meanwhile;  // the windows hold some of it
  };
  std::vector<LeftOut> left_out{};
  std::shared_ptr<Memo> memo = std::make_shared<Memo>();

  const Trace& trace() const { return host->trace; }
  // "a step", or "a step of train" where there are other kinds of steps too.
  std::string AStep() const;
  // Which of the steps here do not count, as others are whole; empty: none.
  std::string NotWholeNote() const;
  // How much work that was launched between the steps no number holds; empty: little.
  std::string OutsideNote() const;
  // Of inferred steps: how much work of other threads their numbers hold too; empty: little.
  std::string OthersNote() const;
  // Of a program that was not selected. It may run while a selected one does.
  bool of_another_program(Attribution found) const {
    return !programs.empty() && found.instruction.valid() && !programs[found.instruction.program.value];
  }
};

struct RunView {
  const LoadedRun* run;
  Selection selection;
  std::vector<HostView> hosts;  // selected
  std::shared_ptr<Memo> memo = std::make_shared<Memo>();

  // A usage error when nothing has the selected name. Linear in the events. The run must outlive the view.
  static Result<RunView> Make(const LoadedRun& run, const Selection& selection);

  int64_t device_count() const;
  // Devices may have been left out.
  bool narrowed() const { return !selection.device.empty() || !selection.host.empty(); }
  // Steps, each as often as devices worked for it, over all hosts: what a sum over the windows is divided by
  // to get "per step". 0: no steps.
  int64_t device_steps() const;
  // Devices that worked for these steps; all where there are none.
  int64_t working_devices() const;
  // What a sum over the windows of all devices is divided by: device steps; where there are no steps the
  // devices, and a number is then of the whole capture on each device. At least 1.
  int64_t portions() const;
  // What such a number is of: "a step", "on each device", "in all".
  std::string Portion() const;
  // What numbers are about: "5 steps", "the whole capture".
  std::string Coverage() const;
  // Which kinds of steps they leave out.
  std::vector<std::string> LeftOutNotes() const;
  // What a reader of numbers must know of it: work that they leave out.
  std::vector<std::string> CoverageNotes() const;
};

// What the threads of the host did; made once and kept with the view.
const HostActivity& ActivityOf(const HostView& view);

// The series of that name on all hosts that have it: the same steps, seen from each.
std::vector<const StepSeries*> OnAllHosts(const RunView& view, const StepSeries& series);

}  // namespace gait::analyze
