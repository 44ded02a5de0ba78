#include "gait/analyze/steps/step_inference.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/run/functions.h"
#include "gait/analyze/time/durations.h"
#include "gait/trace/arg_column.h"

namespace gait::analyze {
namespace {

// One launch of a program, or one run of it on a device.
struct ProgramRun {
  Ps begin;          // on the host; of a run on the device whose call is not there, on the device
  uint64_t program;  // what tells programs apart: one number for all that a function was compiled to
  StringId name;
  EventRef call{};  // that asked for it; invalid track: not known
  Ps work{};        // of devices, for it

  TrackId thread() const { return call.track; }
};

bool IsJittedCall(std::string_view name) {
  return name.starts_with("PjitFunction(") || name.starts_with("PmapFunction(");
}

// The host's calls that say which run they start, each run's first.
std::vector<ProgramRun> HostLaunches(const Trace& trace) {
  std::vector<ProgramRun> launches;
  const ArgColumn run(trace, "run_id");
  const ArgColumn device(trace, "device_ordinal");
  std::unordered_map<uint64_t, size_t> of_run;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const ArgSetId set = track.args(event);
      // What names a device is the run itself, or its end, on a worker's thread.
      if (!run.in(set) || device.in(set)) continue;
      const StringId name = track.name(event);
      if (trace.text(name).find("::Execute") == std::string_view::npos) continue;
      const auto [found, added] = of_run.try_emplace(run(track, event)->bits, launches.size());
      const ProgramRun launch = {track.begin(event), name.value, name, {TrackId(t), event}};
      if (added) {
        launches.push_back(launch);
      } else if (launch.begin < launches[found->second].begin) {
        launches[found->second] = launch;
      }
    }
  }
  std::ranges::stable_sort(launches, {}, &ProgramRun::begin);
  return launches;
}

// Of each thread the outermost calls of jitted functions.
std::vector<ProgramRun> JittedCalls(const Trace& trace) {
  std::vector<bool> jitted(trace.strings().size());
  for (size_t i = 0; i < jitted.size(); ++i) {
    jitted[i] = IsJittedCall(trace.text(StringId(i)));
  }
  std::vector<ProgramRun> calls;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    Ps reached = -kMaxTime;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (!jitted[track.name(event).value] || track.end(event) <= reached) continue;
      reached = track.end(event);
      calls.push_back({track.begin(event), track.name(event).value, track.name(event), {TrackId(t), event}});
    }
  }
  std::ranges::stable_sort(calls, {}, &ProgramRun::begin);
  return calls;
}

// Work is for the last launch of the thread that made its call; where that launches no programs (a pool's),
// for the last one of all.
void AddWork(const Trace& trace, const HostWorkItems& work, std::vector<ProgramRun>& launches) {
  std::vector<size_t> all(launches.size());
  std::unordered_map<uint32_t, std::vector<size_t>> of_thread;
  for (size_t i = 0; i < launches.size(); ++i) {
    all[i] = i;
    of_thread[launches[i].thread().value].push_back(i);
  }
  for (const std::vector<WorkItem>& items : work) {
    for (const WorkItem& item : items) {
      if (!item.has_call()) continue;
      const auto own = of_thread.find(item.call.track.value);
      const std::vector<size_t>& asked = own == of_thread.end() ? all : own->second;
      const Ps call = trace.track(item.call.track).begin(item.call.index);
      const auto after =
          std::ranges::upper_bound(asked, call, {}, [&](size_t i) { return launches[i].begin; });
      if (after == asked.begin()) continue;
      Ps& sum = launches[*std::prev(after)].work;
      sum = SaturatedSum(sum, item.time.length());
    }
  }
}

// Which launches are the loop's: of the threads with three at least, those of the one for which devices
// worked longest (where that is not known, which made most of them), and of the threads that launch its
// longest program too (a pool's).
std::vector<bool> OfLoopThreads(const std::vector<ProgramRun>& launches) {
  constexpr size_t kFewest = 3;
  struct Sum {
    bool may_repeat = false;
    Ps work{};
    size_t count = 0;
    auto operator<=>(const Sum&) const = default;
  };
  const auto most = [](const auto& sums) {
    return std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; })->first;
  };
  const auto add = [](Sum& sum, const ProgramRun& launch) {
    sum = {sum.count + 1 >= kFewest, SaturatedSum(sum.work, launch.work), sum.count + 1};
  };
  std::map<TrackId, Sum> of_thread;
  for (const ProgramRun& launch : launches) add(of_thread[launch.thread()], launch);
  if (of_thread.size() <= 1) return std::vector<bool>(launches.size(), true);
  const TrackId thread = most(of_thread);
  std::map<uint64_t, Sum> of_program;
  for (const ProgramRun& launch : launches) {
    if (launch.thread() == thread) add(of_program[launch.program], launch);
  }
  const uint64_t program = most(of_program);
  std::set<TrackId> pool;
  for (const ProgramRun& launch : launches) {
    if (launch.program == program) pool.insert(launch.thread());
  }
  std::vector<bool> own;
  for (const ProgramRun& launch : launches) own.push_back(pool.contains(launch.thread()));
  return own;
}

// "PjRt...::Execute (jit_train_step)" runs jit_train_step, "jit_f(1219)" is a TPU's module with its program's
// id, "jit_f" a CPU's.
struct LaunchName {
  std::string_view program;
  std::optional<uint64_t> id{};
};
LaunchName ReadLaunchName(std::string_view name) {
  const size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {name};
  const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  if (inside.find_first_not_of("0123456789") != std::string_view::npos) return {inside};
  uint64_t id = 0;
  const bool read = std::from_chars(inside.data(), inside.data() + inside.size(), id).ec == std::errc();
  return {name.substr(0, open), read ? std::optional(id) : std::nullopt};
}

// What one device ran.
struct DeviceRuns {
  std::vector<ProgramRun> runs{};   // in order of begin on the device
  std::vector<Ps> finish{};         // by run
  std::vector<uint32_t> of_item{};  // by piece of work: its run; kNoStep: none
  bool host_known = false;          // where the host launched each of them
};

class RunFinder {
 public:
  explicit RunFinder(const Trace& trace)
      : trace_(trace),
        functions_(trace),
        run_(trace, "run_id"),
        program_(trace, "program_id"),
        module_(trace, "hlo_module") {}

  DeviceRuns Find(const Device& device, const std::vector<WorkItem>& work) {
    DeviceRuns found;
    const Track* modules = Modules(device);
    if (modules != nullptr) {
      OfModules(*modules, work, found);
    } else {
      OfRunIds(work, found);
    }
    found.finish.assign(found.runs.size(), -kMaxTime);
    std::vector<std::optional<Ps>> launched(found.runs.size());
    bool all_known = true;
    for (size_t i = 0; i < work.size(); ++i) {
      const uint32_t run = found.of_item[i];
      if (run == InferredSteps::kNoStep) continue;
      found.finish[run] = std::max(found.finish[run], work[i].time.end);
      all_known &= work[i].has_call();
      ProgramRun& own = found.runs[run];
      own.work = SaturatedSum(own.work, work[i].time.length());
      if (launched[run] || !work[i].has_call()) continue;
      own.call = work[i].call;
      launched[run] = trace_.track(own.call.track).begin(own.call.index);
    }
    // Times of one kind only: the host's, where all calls are there.
    found.host_known = all_known;
    for (size_t i = 0; i < launched.size() && all_known; ++i) {
      if (launched[i]) found.runs[i].begin = *launched[i];
    }
    return found;
  }

 private:
  // A line of its own, not one that was made from others, which joins runs.
  const Track* Modules(const Device& device) const {
    for (const Track& track : trace_.tracks()) {
      const TrackInfo& info = track.info();
      if (info.plane == device.plane && info.kind == TrackKind::kModules && !info.derived) return &track;
    }
    return nullptr;
  }

  void OfModules(const Track& modules, const std::vector<WorkItem>& work, DeviceRuns& found) {
    for (size_t i = 0; i < modules.size(); ++i) {
      const StringId name = modules.name(EventIndex(i));
      const auto [program, id] = ReadLaunchName(trace_.text(name));
      found.runs.push_back({modules.begin(EventIndex(i)), functions_.Of(program, id), name});
    }
    size_t begun = 0;
    for (const WorkItem& item : work) {
      while (begun < found.runs.size() && found.runs[begun].begin <= item.time.begin) ++begun;
      found.of_item.push_back(begun > 0 ? static_cast<uint32_t>(begun - 1) : InferredSteps::kNoStep);
    }
  }

  void OfRunIds(const std::vector<WorkItem>& work, DeviceRuns& found) {
    std::unordered_map<int64_t, uint32_t> of_id;
    for (const WorkItem& item : work) {
      const Track& track = trace_.track(item.event.track);
      const auto id = run_(track, item.event.index);
      const auto module = module_(track, item.event.index);
      if (!id || !id->integer() || !module || !module->is_string()) {
        found.of_item.push_back(InferredSteps::kNoStep);
        continue;
      }
      const auto next = static_cast<uint32_t>(found.runs.size());
      const auto [run, added] = of_id.try_emplace(*id->integer(), next);
      found.of_item.push_back(run->second);
      if (!added) continue;
      const auto program = program_(track, item.event.index);
      const auto program_id = program ? std::optional(program->bits) : std::nullopt;
      const StringId name = module->string();
      found.runs.push_back({item.time.begin, functions_.Of(trace_.text(name), program_id), name});
    }
  }

  const Trace& trace_;
  FunctionNumbers functions_;
  ArgColumn run_, program_, module_;
};

struct ProgramLoop {
  size_t begin = 0;  // its launches
  size_t end = 0;
  size_t period = 0;
};

// How many launches come before the loop: up to the last that differs from the one a period later, as long as
// half of all up to there do.
size_t CountBeforeLoop(const std::vector<ProgramRun>& launches, size_t from, size_t period) {
  size_t before = 0;
  size_t differ = 0;
  for (size_t i = 0; from + i + 3 * period <= launches.size() && 2 * (differ + 1) > i; ++i) {
    if (launches[from + i].program == launches[from + i + period].program) continue;
    ++differ;
    if (2 * differ > i) before = i + 1;
  }
  return from + before;
}

// Whether that many launches of all make a loop of the period.
bool AreLoop(size_t launches, size_t period, size_t all) {
  constexpr size_t kMinRepeats = 3;
  return launches >= kMinRepeats * period && 2 * launches >= all;
}

// The longest stretch that repeats exactly.
std::optional<ProgramLoop> ExactLoop(const std::vector<ProgramRun>& launches, size_t period) {
  ProgramLoop longest{0, 0, period};
  size_t begin = 0;  // of the stretch
  for (size_t i = period; i <= launches.size(); ++i) {
    const bool repeats = i < launches.size() && launches[i].program == launches[i - period].program;
    if (repeats) continue;
    if (i - begin > longest.end - longest.begin) longest = {begin, i, period};
    begin = i + 1 - period;
  }
  const bool found = AreLoop(longest.end - longest.begin, period, launches.size());
  return found ? std::optional(longest) : std::nullopt;
}

// From where on all but one in twenty repeat, to the end.
std::optional<ProgramLoop> NearLoop(const std::vector<ProgramRun>& launches, size_t period) {
  constexpr size_t kOneIn = 20;
  const size_t all = launches.size();
  size_t differ = 0;
  size_t from = all;
  for (size_t i = all; i-- > period && differ <= all / kOneIn;) {
    differ += launches[i].program != launches[i - period].program;
    if (differ <= (all - i) / kOneIn) from = i;
  }
  if (from == all || !AreLoop(all - from + period, period, all)) return std::nullopt;
  return ProgramLoop{CountBeforeLoop(launches, from - period, period), all, period};
}

// Without launches at its front of programs that the loop, in its middle, does not run.
ProgramLoop WithoutStrangers(const std::vector<ProgramRun>& launches, ProgramLoop loop) {
  const size_t periods = (loop.end - loop.begin) / loop.period;
  const size_t middle = loop.begin + periods / 2 * loop.period;
  const auto in_middle = [&](const ProgramRun& launch) {
    const auto begin = launches.begin() + static_cast<ptrdiff_t>(middle);
    return std::ranges::find(begin, begin + static_cast<ptrdiff_t>(loop.period), launch.program,
                             &ProgramRun::program) != begin + static_cast<ptrdiff_t>(loop.period);
  };
  while (loop.begin < middle && !in_middle(launches[loop.begin])) ++loop.begin;
  return loop;
}

std::optional<ProgramLoop> FindPeriod(const std::vector<ProgramRun>& launches) {
  constexpr size_t kMostLookedAt = size_t{1} << 26;  // keeps a capture without any period cheap
  const size_t most = std::min(launches.size() / 3, kMostLookedAt / std::max<size_t>(1, launches.size()));
  for (size_t period = 1; period <= most; ++period) {
    const auto exact = ExactLoop(launches, period);
    if (!exact) continue;
    // A launch that comes between two steps now and then does not end the loop.
    const auto near = NearLoop(launches, period);
    const bool longer = near && near->end - near->begin > exact->end - exact->begin;
    return longer ? WithoutStrangers(launches, *near) : exact;
  }
  for (size_t period = 1; period <= most; ++period) {
    if (const auto near = NearLoop(launches, period)) return WithoutStrangers(launches, *near);
  }
  return std::nullopt;
}

// Positions of launches with which steps begin; after them, where the last one ends.
std::vector<size_t> StepBegins(const std::vector<ProgramRun>& launches, const ProgramLoop& loop) {
  const auto same = [&](size_t i) { return launches[i].program == launches[loop.begin].program; };
  size_t in_period = 0;
  for (size_t i = 0; i < loop.period; ++i) in_period += same(loop.begin + i) ? 1 : 0;
  std::vector<size_t> begins;
  for (size_t i = loop.begin; i < loop.end; ++i) {
    if (in_period == 1 ? same(i) : (i - loop.begin) % loop.period == 0) begins.push_back(i);
  }
  begins.push_back(std::min(loop.end, begins.back() + loop.period));
  return begins;
}

bool HasWord(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

// What ends each step however many launches it has, and what is never a step of its own.
bool EndsSteps(std::string_view program) {
  static constexpr std::array<std::string_view, 3> kWords = {"update", "optim", "apply_grad"};
  return HasWord(program, kWords);
}
bool IsPartOfStep(std::string_view program) {
  static constexpr std::array<std::string_view, 4> kWords = {"layer", "block", "micro", "accum"};
  return HasWord(program, kWords);
}

// Launches as steps: all of them, or without those of rare programs.
struct Reading {
  std::vector<size_t> begins{};  // positions of launches with which steps begin; then the last one's end
  size_t period = 0;             // launches of a step, the rare ones left out
  bool cut = false;              // the loop ended before the last step's last launches
  std::vector<bool> kept{};      // by launch
};

class LoopReader {
 public:
  LoopReader(const Trace& trace, const std::vector<ProgramRun>& launches)
      : trace_(trace), launches_(launches) {
    for (const ProgramRun& launch : launches) most_ = std::max(most_, ++counts_[launch.program]);
    whole_ = Read([](const ProgramRun&) { return true; });
    constexpr size_t kRare = 5;  // less than once in five steps
    constexpr int64_t kHalf = 2;
    std::optional<Reading> rounds = WithoutRare(kRare, true);
    if (rounds && !IsEnough(*rounds, kHalf)) rounds.reset();
    if (rounds && whole_ && whole_->period < rounds->period) rounds.reset();
    if (rounds && !IsPartOfStep(NameOf(rounds->begins[0]))) {
      chosen_ = std::move(rounds);
      if (whole_ && whole_->period > chosen_->period) other_ = std::move(whole_);
    } else if (whole_) {
      chosen_ = std::move(whole_);
      constexpr size_t kNotInEach = 2;
      constexpr int64_t kTenth = 10;  // steps may be short beside an evaluation, not next to nothing
      if (chosen_->period > 1) other_ = WithoutRare(kNotInEach, false);
      if (other_ && (other_->period >= chosen_->period || !IsEnough(*other_, kTenth))) other_.reset();
    }
  }

  const std::optional<Reading>& chosen() const { return chosen_; }
  std::string NameOf(size_t launch) const {
    return std::string(ReadLaunchName(trace_.text(launches_[launch].name)).program);
  }

  // What else the launches may be; empty: nothing.
  std::string Note() const {
    if (!other_) return "";
    const bool rounds = chosen_->period < other_->period;
    const Reading& small = rounds ? *chosen_ : *other_;
    const Reading& large = rounds ? *other_ : *chosen_;
    size_t rare = small.begins[0];
    while (small.kept[rare]) ++rare;
    const auto first = small.kept.begin() + static_cast<ptrdiff_t>(large.begins[0]);
    const auto kept = std::count(first, first + static_cast<ptrdiff_t>(large.period), true);
    const size_t every = static_cast<size_t>(kept) / small.period;
    if (rounds) {
      return fmt::format(
          "{} runs about once in {} steps and is taken for no part of a step; if it is one (an update after "
          "{} micro-steps, say), a step is {} launches: annotate the steps",
          NameOf(rare), every, every, large.period);
    }
    return fmt::format(
        "{} of these launches may also be a step, with {} after about every {}: annotate the steps",
        small.period == 1 ? "each" : fmt::format("every {}", small.period), NameOf(rare), every);
  }

 private:
  template <typename Keep>
  std::optional<Reading> Read(Keep keep) const {
    Reading reading;
    std::vector<ProgramRun> launches;
    std::vector<size_t> position;
    for (size_t i = 0; i < launches_.size(); ++i) {
      reading.kept.push_back(keep(launches_[i]));
      if (!reading.kept[i]) continue;
      launches.push_back(launches_[i]);
      position.push_back(i);
    }
    const std::optional<ProgramLoop> loop = FindPeriod(launches);
    if (!loop) return std::nullopt;
    const std::vector<size_t> begins = StepBegins(launches, *loop);
    for (size_t s = 0; s + 1 < begins.size(); ++s) reading.begins.push_back(position[begins[s]]);
    reading.begins.push_back(position[begins.back() - 1] + 1);
    reading.period = loop->period;
    reading.cut = begins[begins.size() - 2] + loop->period > loop->end;
    return reading;
  }

  // Without programs that are launched less than once in so many steps; nullopt: there are none, or what is
  // left is no loop. How many steps there are is known only then: first, as many as launches of a program.
  std::optional<Reading> WithoutRare(size_t steps_for_one, bool by_name) const {
    std::optional<Reading> reading;
    size_t steps = most_;
    for (int round = 0; round < 2; ++round) {
      reading = Read([&](const ProgramRun& launch) {
        const bool often = counts_.at(launch.program) * steps_for_one >= steps;
        return often || (by_name && EndsSteps(ReadLaunchName(trace_.text(launch.name)).program));
      });
      if (!reading) return std::nullopt;
      steps = reading->begins.size() - 1;
    }
    return reading;
  }

  // Whether something was left out, and what was not is half of all launches, and that share of the work of
  // the loop.
  bool IsEnough(const Reading& reading, int64_t one_in) const {
    size_t kept = 0;
    Ps work;
    Ps all_work;
    for (size_t i = reading.begins[0]; i < reading.begins.back(); ++i) {
      kept += reading.kept[i] ? 1 : 0;
      if (reading.kept[i]) work = SaturatedSum(work, launches_[i].work);
      all_work = SaturatedSum(all_work, launches_[i].work);
    }
    const bool all = std::ranges::all_of(reading.kept, [](bool k) { return k; });
    return !all && 2 * kept >= launches_.size() && work >= all_work / one_in;
  }

  const Trace& trace_;
  const std::vector<ProgramRun>& launches_;
  std::unordered_map<uint64_t, size_t> counts_;  // by program
  size_t most_ = 0;                              // of them
  std::optional<Reading> whole_, chosen_, other_;
};

// When the host turned to a launch: where the outermost call of a jitted function around it begins, which may
// have compiled it first, unless that made the launch before it too.
Ps BeginOnHost(const Trace& trace, const std::vector<ProgramRun>& launches, size_t i) {
  const EventRef call = launches[i].call;
  Ps begin = launches[i].begin;
  if (!call.track.valid()) return begin;
  const Track& thread = trace.track(call.track);
  for (EventIndex e = call.index; e.valid(); e = thread.parent(e)) {
    if (IsJittedCall(trace.text(thread.name(e)))) begin = thread.begin(e);
  }
  return i > 0 && begin <= launches[i - 1].begin ? launches[i].begin : begin;
}

std::optional<InferredSteps> FromLaunches(const Trace& trace, const std::vector<ProgramRun>& all,
                                          bool host_known) {
  std::vector<ProgramRun> launches;
  std::set<TrackId> others;
  const std::vector<bool> own = OfLoopThreads(all);
  for (size_t i = 0; i < all.size(); ++i) {
    if (own[i]) launches.push_back(all[i]);
    if (!own[i]) others.insert(all[i].thread());
  }
  const LoopReader reader(trace, launches);
  if (!reader.chosen()) return std::nullopt;
  const Reading& loop = *reader.chosen();
  const std::vector<size_t>& begins = loop.begins;
  InferredSteps steps{reader.NameOf(begins[0]), loop.period, reader.Note()};
  steps.host_known = host_known;
  const TrackId first = launches[0].thread();
  if (std::ranges::all_of(launches, [&](const ProgramRun& l) { return l.thread() == first; })) {
    steps.thread = first;
  }
  const auto begin_of = [&](size_t i) {
    if (i == launches.size()) return trace.span().end;
    return host_known ? BeginOnHost(trace, launches, i) : launches[i].begin;
  };
  Ps reached = -kMaxTime;
  for (size_t s = 0; s + 1 < begins.size(); ++s) {
    const Ps begin = std::max(reached, begin_of(begins[s]));
    reached = std::max(begin, begin_of(begins[s + 1]));
    const bool cut = loop.cut && s + 2 == begins.size();
    steps.marks.push_back({static_cast<int64_t>(s), {begin, reached}, TrackId(), cut});
  }
  if (begins.back() < launches.size()) steps.others.push_back({0, {reached, reached}});
  // A thread that launches programs of its own works for none of these steps.
  for (const TrackId thread : others) steps.others.push_back({0, {-kMaxTime, -kMaxTime}, thread});
  return steps;
}

// By run of a device: its step, and when each step finished.
struct StepsOfDevice {
  std::vector<uint32_t> of_run{};
  std::vector<Ps> finish{};
};
StepsOfDevice StepsOf(const Trace& trace, const DeviceRuns& device, size_t period) {
  StepsOfDevice steps{std::vector<uint32_t>(device.runs.size(), InferredSteps::kNoStep)};
  std::vector<ProgramRun> runs;
  std::vector<size_t> position;
  const std::vector<bool> own = OfLoopThreads(device.runs);
  for (size_t i = 0; i < own.size(); ++i) {
    if (!own[i]) continue;
    runs.push_back(device.runs[i]);
    position.push_back(i);
  }
  const LoopReader reader(trace, runs);
  if (!reader.chosen() || reader.chosen()->period != period) return steps;
  const std::vector<size_t>& begins = reader.chosen()->begins;
  for (size_t s = 0; s + 1 < begins.size(); ++s) {
    steps.finish.push_back(-kMaxTime);
    for (size_t i = begins[s]; i < begins[s + 1]; ++i) {
      steps.of_run[position[i]] = static_cast<uint32_t>(s);
      steps.finish[s] = std::max(steps.finish[s], device.finish[position[i]]);
    }
  }
  for (size_t i = begins.back(); i < runs.size(); ++i) steps.of_run[position[i]] = InferredSteps::kAfterSteps;
  return steps;
}

// Each device has its own count of runs, and may have run what others have not: its first step is the one of
// the leading device that finished next to it, the others follow.
std::optional<InferredSteps> FromDevices(const Trace& trace, const std::vector<Device>& devices,
                                         const HostWorkItems& work) {
  RunFinder finder(trace);
  std::vector<DeviceRuns> all;
  for (size_t d = 0; d < devices.size(); ++d) all.push_back(finder.Find(devices[d], work[d]));
  const auto leading = std::ranges::max_element(all, {}, [](const DeviceRuns& r) { return r.runs.size(); });
  if (leading == all.end()) return std::nullopt;
  std::optional<InferredSteps> steps = FromLaunches(trace, leading->runs, leading->host_known);
  if (!steps) return std::nullopt;
  const std::vector<Ps> finish = StepsOf(trace, *leading, steps->launches).finish;
  for (const DeviceRuns& device : all) {
    const StepsOfDevice own = StepsOf(trace, device, steps->launches);
    const auto next_to = std::ranges::min_element(finish, {}, [&](Ps f) {
      return own.finish.empty() ? Ps() : std::max(f - own.finish[0], own.finish[0] - f);
    });
    const auto first = static_cast<uint32_t>(next_to - finish.begin());
    std::vector<uint32_t>& owner = steps->owner.emplace_back();
    for (const uint32_t run : device.of_item) {
      const uint32_t step = run == InferredSteps::kNoStep ? run : own.of_run[run];
      const bool in_loop = step < finish.size() - first;
      owner.push_back(in_loop                              ? step + first
                      : step == InferredSteps::kAfterSteps ? step
                                                           : InferredSteps::kNoStep);
    }
  }
  return steps;
}

}  // namespace

std::vector<std::vector<WorkOwner>> OwnersOfRuns(const InferredSteps& steps) {
  const uint32_t last = static_cast<uint32_t>(steps.marks.size()) - 1;
  std::vector<std::vector<WorkOwner>> all;
  for (const std::vector<uint32_t>& of_device : steps.owner) {
    std::vector<WorkOwner>& owners = all.emplace_back(of_device.size());
    bool begun = false;
    for (size_t i = 0; i < owners.size(); ++i) {
      const bool in_step = of_device[i] <= last;
      begun |= in_step && of_device[i] == 0;
      // What follows the loop does not end where the first step begins.
      if (in_step) owners[i] = {of_device[i], WorkOwner::Kind::kStep};
      if (!in_step && !begun) owners[i].kind = WorkOwner::Kind::kBefore;
      if (of_device[i] == InferredSteps::kAfterSteps) owners[i] = {last, WorkOwner::Kind::kOutside};
    }
  }
  return all;
}

std::optional<InferredSteps> InferSteps(const Trace& trace, const std::vector<Device>& devices,
                                        const HostWorkItems& work) {
  std::vector<ProgramRun> launches = HostLaunches(trace);
  AddWork(trace, work, launches);
  if (auto steps = FromLaunches(trace, launches, true)) return steps;
  if (auto steps = FromDevices(trace, devices, work)) return steps;
  launches = JittedCalls(trace);
  AddWork(trace, work, launches);
  auto steps = FromLaunches(trace, launches, true);
  if (steps) steps->by_calls = true;
  return steps;
}

}  // namespace gait::analyze
