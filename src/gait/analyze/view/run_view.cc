#include "gait/analyze/view/run_view.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/steps/find_steps.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/view/inferred_waits.h"
#include "gait/base/pattern.h"
#include "gait/base/thread_pool.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// Which of the names are meant: those that are the wish, else those it matches as a regular expression.
// `other` are further names of the same things (numbers).
Result<std::vector<bool>> Choose(const std::string& wish, std::string_view what,
                                 const std::vector<std::string>& names,
                                 const std::vector<std::string>& other) {
  std::vector<bool> chosen(names.size(), wish.empty());
  if (wish.empty()) return chosen;
  for (size_t i = 0; i < names.size(); ++i) chosen[i] = names[i] == wish || other[i] == wish;
  if (std::ranges::find(chosen, true) != chosen.end()) return chosen;
  // A number is that of a device or program; in a name it would mean any that has the digit.
  const bool number = std::ranges::all_of(wish, [](char c) { return c >= '0' && c <= '9'; });
  GAIT_TRY(const Pattern pattern, Pattern::Compile(wish));
  for (size_t i = 0; i < names.size() && !number; ++i) chosen[i] = pattern.Matches(names[i]);
  if (std::ranges::find(chosen, true) != chosen.end()) return chosen;
  constexpr size_t kMost = 8;
  std::vector<std::string> known = names;
  std::ranges::sort(known);
  const auto repeated = std::ranges::unique(known);
  known.erase(repeated.begin(), repeated.end());
  const size_t count = known.size();
  if (count > kMost) known.resize(kMost);
  return UsageError(fmt::format("no {} of this run is called '{}'.", what, wish),
                    known.empty()
                        ? fmt::format("It has no {}s.", what)
                        : fmt::format("It has: {}{}", fmt::join(known, ", "), count > kMost ? ", ..." : ""));
}

// Which programs of a trace are meant, by ProgramIndex.
Result<std::vector<std::vector<bool>>> ChoosePrograms(const std::vector<const LoadedHost*>& hosts,
                                                      const std::string& wish) {
  std::vector<std::string> names;
  std::vector<std::string> ids;
  for (const LoadedHost* host : hosts) {
    for (const Program& program : host->trace.programs()) {
      names.push_back(program.name);
      ids.push_back(std::to_string(program.id));
    }
  }
  GAIT_TRY(const std::vector<bool> chosen, Choose(wish, "program", names, ids));
  std::vector<std::vector<bool>> by_host;
  size_t at = 0;
  for (const LoadedHost* host : hosts) {
    const auto first = chosen.begin() + static_cast<ptrdiff_t>(at);
    at += host->trace.programs().size();
    by_host.emplace_back(first, chosen.begin() + static_cast<ptrdiff_t>(at));
  }
  return by_host;
}

// When the device was at work on the wanted programs. Events of no program do not end a program's turn.
IntervalSet ProgramTurns(const Trace& trace, const Device& device, const std::vector<bool>& wanted) {
  struct Piece {
    Interval time;
    bool wanted;
  };
  std::vector<Piece> pieces;
  for (const TrackId id : device.work) {
    const Track& track = trace.track(id);
    for (size_t i = 0; i < track.size(); ++i) {
      const Attribution found = trace.attribution(track.args(EventIndex(i)));
      if (!found.instruction.valid()) continue;
      pieces.push_back({track.interval(EventIndex(i)), wanted[found.instruction.program.value]});
    }
  }
  std::ranges::stable_sort(pieces, {}, [](const Piece& p) { return p.time.begin; });
  std::vector<Interval> turns;
  bool on = false;
  for (const Piece& piece : pieces) {
    if (piece.wanted && on) turns.back().end = std::max(turns.back().end, piece.time.end);
    if (piece.wanted && !on) turns.push_back(piece.time);
    on = piece.wanted;
  }
  return Normalize(std::move(turns));
}

IntervalSet TimeOf(const std::vector<const Step*>& steps, size_t device) {
  std::vector<Interval> pieces;
  for (const Step* step : steps) pieces.push_back(step->time[device]);
  return Normalize(std::move(pieces));
}

// Of a selected program, in the steps that count.
Ps TimeInSteps(const HostView& view, const StepSeries& series) {
  Ps sum;
  for (size_t d = 0; d < view.devices.size(); ++d) {
    sum += TotalLength(Intersect(TimeOf(series.Counted(), d), view.turns[d]));
  }
  return sum;
}

// The other kinds of steps, unless all they did is in the steps of the first: those of the same thread may
// lie around them. Of those that were not selected, only what ran meanwhile on other threads.
void FindLeftOut(HostView& view) {
  if (view.series.empty()) return;
  std::vector<const Step*> first;
  std::set<TrackId> threads;
  for (const Step& step : view.series[0].steps) {
    first.push_back(&step);
    threads.insert(step.thread);
  }
  std::vector<const StepSeries*> others;
  for (size_t s = 1; s < view.series.size(); ++s) others.push_back(&view.series[s]);
  for (const StepSeries& series : view.unchosen) others.push_back(&series);
  for (size_t s = 0; s < others.size(); ++s) {
    const bool chosen = s + 1 < view.series.size();
    std::vector<const Step*> other;
    for (const Step& step : others[s]->steps) {
      if (step.has_work()) other.push_back(&step);
    }
    const bool elsewhere = !other.empty() && std::ranges::none_of(other, [&](const Step* step) {
      return threads.contains(step->thread);
    });
    bool out = elsewhere;
    Ps both;
    Ps counted;
    for (size_t d = 0; d < view.devices.size(); ++d) {
      const IntervalSet theirs = Intersect(TimeOf(other, d), view.times[d].busy());
      const IntervalSet window = TimeOf(view.series[0].Counted(), d);
      out |= !Subtract(theirs, TimeOf(first, d)).empty();
      both += TotalLength(Intersect(theirs, window));
      counted += TotalLength(window);
    }
    const bool meanwhile = both * 100 > counted;
    if (chosen ? out : elsewhere && meanwhile) {
      Ps time;
      for (const Step* step : other) time = SaturatedSum(time, step->duration());
      view.left_out.push_back({others[s]->name, other.size(), time, meanwhile});
    }
  }
}

void SetWindows(HostView& view) {
  const std::vector<const Step*> counted =
      view.series.empty() ? std::vector<const Step*>() : view.series[0].Counted();
  Interval span;
  bool any = false;
  for (const DeviceTime& time : view.times) {
    if (time.busy().empty()) continue;
    const Interval busy{time.busy().front().begin, time.busy().back().end};
    span = any ? Interval{std::min(span.begin, busy.begin), std::max(span.end, busy.end)} : busy;
    any = true;
  }
  view.steps = static_cast<int64_t>(counted.size());
  view.device_steps.resize(view.devices.size());
  for (size_t d = 0; d < view.devices.size(); ++d) {
    view.device_steps[d] = std::ranges::count_if(counted, [&](const Step* s) { return s->takes_part(d); });
  }
  for (size_t d = 0; d < view.devices.size(); ++d) {
    view.windows.push_back(counted.empty() ? Normalize({span}) : TimeOf(counted, d));
  }
}

// Narrows the view to the selected program: to the steps that ran it, and to its turns in them.
void SelectProgram(HostView& view, const std::vector<bool>& programs, bool steps_given) {
  for (const Device& device : view.devices) {
    view.turns.push_back(ProgramTurns(view.trace(), device, programs));
  }
  if (view.series.empty()) return;
  const auto most = std::ranges::max_element(
      view.series, {}, [&](const StepSeries& series) { return TimeInSteps(view, series); });
  if (TimeInSteps(view, *most) > Ps()) {
    std::rotate(view.series.begin(), most, most + 1);
  } else if (!steps_given && std::ranges::any_of(view.turns, [](const auto& t) { return !t.empty(); })) {
    view.series.clear();
    view.outside_steps = true;
  }
}

template <typename T>
void Keep(std::vector<T>& values, const std::vector<bool>& kept) {
  size_t at = 0;
  std::erase_if(values, [&](const T&) { return !kept[at++]; });
}

// A selection of devices does not change when a step begins: steps were found with all of them. Those that
// the selected ones worked for come first; where they worked for none, they have steps of their own.
void KeepDevices(HostView& view, const std::vector<bool>& kept) {
  if (std::ranges::find(kept, false) == kept.end()) return;
  // What the host waited for is a matter of all of them too.
  AwaitedInputOf(view);
  AwaitedResultsOf(view);
  Keep(view.devices, kept);
  Keep(view.work, kept);
  Keep(view.times, kept);
  for (StepSeries& series : view.series) {
    for (Step& step : series.steps) {
      Keep(step.time, kept);
      Keep(step.events, kept);
    }
    Keep(series.outside, kept);
    Keep(series.left_out, kept);
  }
  std::ranges::stable_partition(view.series, &StepSeries::has_work);
  const bool any_work = std::ranges::any_of(view.work, [](const auto& work) { return !work.empty(); });
  if (any_work && std::ranges::none_of(view.series, &StepSeries::has_work))
    view.series = FindSteps(view.trace(), view.devices, view.work);
}

HostView MakeHost(const LoadedHost& host, std::vector<Device> devices) {
  std::optional<Launches> launches;
  std::optional<WorkClasses> classes;
  ForEach(2, DefaultThreads(), [&](size_t part) {
    if (part == 0) launches.emplace(host.trace);
    if (part == 1) classes.emplace(host.trace);
  });
  HostView view{.host = &host,
                .devices = std::move(devices),
                .launches = *std::move(launches),
                .work = {},
                .series = {},
                .times = {},
                .windows = {},
                .device_steps = {}};
  const size_t count = view.devices.size();
  view.work.resize(count);
  ForEach(count + 1, DefaultThreads(), [&](size_t d) {
    if (d < count) view.work[d] = WorkInOrder(host.trace, view.devices[d], view.launches, *classes);
    // Most analyses ask for it, and there is time while one device's work is put in order.
    if (d == count) ActivityOf(view);
  });
  view.times.resize(count);
  ForEach(count + 1, DefaultThreads(), [&](size_t part) {
    if (part == 0) view.series = FindSteps(host.trace, view.devices, view.work);
    if (part > 0) view.times[part - 1] = DeviceTime(view.work[part - 1]);
  });
  return view;
}

void Narrow(HostView& view, const Selection& selection, const std::vector<bool>& programs) {
  for (StepSeries& series : view.series) {
    std::erase_if(series.steps, [&](const Step& step) { return !selection.HasStep(step.number); });
  }
  const bool of_program = !selection.program.empty();
  if (of_program) {
    view.programs = programs;
    SelectProgram(view, programs, selection.has_steps());
  }
  if (!of_program) FindLeftOut(view);
  SetWindows(view);
  for (size_t d = 0; d < view.devices.size() && of_program; ++d) {
    view.windows[d] = Intersect(view.windows[d], view.turns[d]);
  }
}

// Only the steps of the selected annotation.
Result<void> ChooseSeries(std::vector<HostView>& hosts, const std::string& wish) {
  if (wish.empty()) return {};
  std::vector<std::string> names;
  for (const HostView& host : hosts) {
    for (const StepSeries& series : host.series) names.push_back(series.name);
  }
  GAIT_TRY(const std::vector<bool> chosen, Choose(wish, "step annotation", names, names));
  size_t at = 0;
  for (HostView& host : hosts) {
    std::vector<StepSeries> kept;
    for (StepSeries& series : host.series) (chosen[at++] ? kept : host.unchosen).push_back(std::move(series));
    host.series = std::move(kept);
  }
  return {};
}

std::vector<int64_t> StepNumbers(const std::vector<HostView>& hosts) {
  std::vector<int64_t> numbers;
  for (const HostView& host : hosts) {
    for (const StepSeries& series : host.series) {
      for (const Step& step : series.steps) numbers.push_back(step.number);
    }
  }
  return numbers;
}

std::unexpected<Error> NoSuchStep(const std::vector<int64_t>& numbers) {
  if (numbers.empty()) return UsageError("this run has no steps.", "Without --steps all of it is looked at.");
  const auto [first, last] = std::ranges::minmax(numbers);
  return UsageError(fmt::format("no step of this run has such a number: they are {} to {}.", first, last),
                    "gait steps lists the steps.", "steps");
}

}  // namespace

Result<RunView> RunView::Make(const LoadedRun& run, const Selection& selection) {
  RunView view{.run = &run, .selection = selection, .hosts = {}};
  std::vector<std::string> names;
  for (const LoadedHost& host : run.hosts) names.push_back(host.name);
  GAIT_TRY(const std::vector<bool> chosen_hosts, Choose(selection.host, "host", names, names));
  std::vector<const LoadedHost*> hosts;
  for (size_t h = 0; h < run.hosts.size(); ++h) {
    if (chosen_hosts[h]) hosts.push_back(&run.hosts[h]);
  }
  std::vector<std::vector<Device>> devices;
  std::vector<std::string> device_names;
  std::vector<std::string> ordinals;
  for (const LoadedHost* host : hosts) {
    devices.push_back(FindDevices(host->trace));
    std::erase_if(devices.back(), [&](const Device& d) { return d.idle_throughout(host->trace); });
    for (const Device& device : devices.back()) {
      device_names.push_back(device.name);
      ordinals.push_back(std::to_string(host->trace.plane(device.plane).ordinal.value_or(-1)));
    }
  }
  GAIT_TRY(const std::vector<bool> chosen, Choose(selection.device, "device", device_names, ordinals));
  GAIT_TRY(const auto programs, ChoosePrograms(hosts, selection.program));
  size_t at = 0;
  for (size_t h = 0; h < hosts.size(); ++h) {
    const auto first = chosen.begin() + static_cast<ptrdiff_t>(at);
    at += devices[h].size();
    const std::vector<bool> kept(first, chosen.begin() + static_cast<ptrdiff_t>(at));
    const bool any = std::ranges::find(kept, true) != kept.end();
    view.hosts.push_back(MakeHost(*hosts[h], any ? std::move(devices[h]) : std::vector<Device>()));
    if (any) KeepDevices(view.hosts.back(), kept);
  }
  GAIT_CHECK_OK(ChooseSeries(view.hosts, selection.series));
  const std::vector<int64_t> numbers = StepNumbers(view.hosts);
  for (size_t h = 0; h < hosts.size(); ++h) Narrow(view.hosts[h], selection, programs[h]);
  if (selection.program.empty() && view.device_steps() > 0) {
    for (HostView& host : view.hosts) {
      if (host.steps == 0) host.windows.assign(host.windows.size(), {});
    }
  }
  if (selection.has_steps() && StepNumbers(view.hosts).empty()) return NoSuchStep(numbers);
  const bool any_turn = std::ranges::any_of(view.hosts, [](const HostView& h) {
    return std::ranges::any_of(h.windows, [](const IntervalSet& w) { return !w.empty(); });
  });
  if (!selection.program.empty() && !any_turn && view.device_count() > 0) {
    return UsageError(
        fmt::format("'{}' did no work on a device in this part of the run.", selection.program),
        "gait ops --by program lists the programs that did; gait memory without --program shows what "
        "each in the capture needs.",
        "ops");
  }
  return view;
}

std::string HostView::AStep() const {
  return left_out.empty() || series.empty() ? "a step" : "a step of " + series[0].name;
}

int64_t RunView::device_count() const {
  int64_t count = 0;
  for (const HostView& host : hosts) count += static_cast<int64_t>(host.devices.size());
  return count;
}

int64_t RunView::device_steps() const {
  int64_t count = 0;
  for (const HostView& host : hosts) {
    for (const int64_t steps : host.device_steps) count += steps;
  }
  return count;
}

int64_t RunView::working_devices() const {
  int64_t count = 0;
  for (const HostView& host : hosts) {
    count += std::ranges::count_if(host.device_steps, [](int64_t steps) { return steps > 0; });
  }
  return count > 0 ? count : device_count();
}

int64_t RunView::portions() const {
  const int64_t steps = device_steps();
  return steps > 0 ? steps : std::max<int64_t>(1, device_count());
}

std::string RunView::Portion() const {
  return device_steps() > 0 ? "a step" : device_count() > 1 ? "on each device" : "in all";
}

std::string RunView::Coverage() const {
  int64_t most = 0;
  for (const HostView& host : hosts) most = std::max(most, host.steps);
  return most == 0 ? "the whole capture" : report::Plural(static_cast<uint64_t>(most), "step");
}

const HostActivity& ActivityOf(const HostView& view) {
  return view.memo->Get<HostActivity>([&] { return HostActivity(view.trace()); });
}

std::vector<const StepSeries*> OnAllHosts(const RunView& view, const StepSeries& series) {
  std::vector<const StepSeries*> everywhere;
  for (const HostView& host : view.hosts) {
    const auto same = std::ranges::find(host.series, series.name, &StepSeries::name);
    if (same != host.series.end()) everywhere.push_back(&*same);
  }
  return everywhere;
}

}  // namespace gait::analyze
