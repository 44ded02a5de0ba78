// The tables of `gait steps` about whole steps have the same columns: a step's time and its parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/device/partition.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

inline constexpr const char* kNoWork = "no device work of this capture belongs to the step";

// One host's steps with the partition of each on each device.
struct HostSteps {
  const HostView* view = nullptr;
  bool of_program = false;  // only a selected program's time
  std::vector<std::vector<std::vector<Partition>>>
      parts;  // by series, step, device; empty devices have no window

  const std::string& host() const { return view->host->name; }
  const std::vector<StepSeries>& series() const { return view->series; }
  // How long the step took: its annotation does not say where devices worked.
  bool knows(const Step& step) const { return step.has_work() || view->devices.empty(); }
  bool knows(const StepSeries& series) const { return series.has_work() || view->devices.empty(); }
};

HostSteps StepsOfHost(const HostView& view, bool of_program);

// What the devices of a host did in the steps that count.
struct CountedTime {
  Ps window;
  Ps idle;
  int64_t device_steps = 0;

  void Add(const HostSteps& host, size_t series);
  void operator+=(const CountedTime& other) {
    window += other.window;
    idle += other.idle;
    device_steps += other.device_steps;
  }
};

// What the tables about whole steps say of a step.
struct StepTimes {
  std::optional<Ps> time;
  Ps on_host;
  std::optional<Partition> parts;  // means over the devices; nullopt: no device worked for it
  std::string flags;
  bool counts;  // in statistics
};

StepTimes TimesOf(const HostSteps& host, size_t series, size_t step);

// `flags`: some row has some.
TableOf<StepTimes> StepColumns(bool flags);
// The parts alone.
TableOf<std::optional<Partition>> PartColumns();
// A capture of one device has no communication: a column of zeros says nothing as text.
void HideZeros(Table& table);

}  // namespace gait::analyze
