// RunView: a run, narrowed to a selection. It makes once what every analysis needs: devices, steps, launches,
// classes of work, and the time that the numbers cover.
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
#include "gait/report/table.h"

namespace gait::analyze {

class HostActivity;

struct HostView {
  const LoadedHost* host;
  std::vector<Device> devices;  // selected ones that did anything
  Launches launches;
  HostWorkItems work;  // by device
  // The series with the most device work first; only selected steps. Empty where the selected program ran in
  // no step.
  std::vector<StepSeries> series;
  std::vector<DeviceTime> times;  // by device
  // By device, the time that numbers of a report cover: the complete steps of the first series; where none is
  // complete, all selected steps; where there are no steps, from the host's first device event to its last.
  // With a selected program only the times in which the device worked for the program: from an event of the
  // program to its last event before another program's. The first series is then the one that ran most of the
  // program. If the program ran in no step, all its times count.
  std::vector<IntervalSet> windows;
  // With a selected program, by device: when the device worked for the program, in steps and outside.
  std::vector<IntervalSet> turns{};
  std::vector<bool> programs{};         // by ProgramIndex: the selected ones; empty: no program was selected
  int64_t steps = 0;                    // how many the windows hold; 0: there are none
  std::vector<int64_t> device_steps{};  // by device: those that it worked for
  bool outside_steps = false;           // there are steps, but the selected program ran in none
  std::vector<StepSeries> unchosen{};   // kinds of steps that were not selected
  // Kinds of steps whose work the windows leave out. The windows hold such work only where it ran beside
  // steps of the first series.
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
  // Which of the steps here do not count because other steps are whole; empty: all count.
  std::string NotWholeNote() const;
  // How much work that was launched between the steps is in no number; empty: little.
  std::string OutsideNote() const;
  // How much work of other threads the numbers of inferred steps hold too; empty: little.
  std::string OthersNote() const;
  // Whether the work is of a program that was not selected. Such a program may run at the same time.
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
  // The number of pairs of a step and a device that worked for it, over all hosts. A sum over the windows
  // divided by this number is "per step". 0: no steps.
  int64_t device_steps() const;
  // Devices that worked for these steps; all where there are none.
  int64_t working_devices() const;
  // The divisor for a sum over the windows of all devices: device steps. Where there are no steps, the number
  // of devices: a number is then of the whole capture on each device. At least 1.
  int64_t portions() const;
  // The phrase for a number that was divided by portions(): "a step", "on each device", "in all".
  std::string Portion() const;
  // What numbers are about: "5 steps", "the whole capture".
  std::string Coverage() const;
  // Which kinds of steps the numbers leave out.
  std::vector<std::string> LeftOutNotes() const;
  // Notes for a reader of the numbers: the work that they leave out.
  std::vector<std::string> CoverageNotes() const;
  // Links to the series that both name.
  std::vector<report::Link> SeriesLinks() const;
};

// What the threads of the host did; made once and kept with the view.
const HostActivity& ActivityOf(const HostView& view);

// The series of that name on all hosts that have one: the same steps, seen from each host.
std::vector<const StepSeries*> OnAllHosts(const RunView& view, const StepSeries& series);

}  // namespace gait::analyze
