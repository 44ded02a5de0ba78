#include "gait/analyze/question/transfers/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "gait/analyze/question/transfers/copy_origin.h"
#include "gait/analyze/run/arguments.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

void AddOnce(std::vector<std::string>& list, const std::string& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

// The part of a set inside a window, in time logarithmic in the set.
IntervalSet Part(const IntervalSet& set, Interval window) {
  const auto first = std::ranges::upper_bound(set, window.begin, {}, &Interval::end);
  const auto last = std::ranges::lower_bound(first, set.end(), window.end, {}, &Interval::begin);
  return Clip(std::span(first, last), window);
}

void AddBytes(int64_t& sum, int64_t bytes) {
  if (__builtin_add_overflow(sum, bytes, &sum)) sum = std::numeric_limits<int64_t>::max();
}

std::optional<double> Rate(int64_t bytes, Ps time) {
  if (bytes <= 0 || time <= Ps()) return std::nullopt;
  return static_cast<double>(bytes) / (static_cast<double>(time.value()) * 1e-12);
}

ArgSetId ArgumentsOf(const Trace& trace, const Copy& copy) {
  return trace.track(copy.event.track).args(copy.event.index);
}

// Of a copy that an operation makes which could not be found: "jit_f/copy.1", as its event says. Else empty.
std::string UnfoundPlace(const Trace& trace, const Copy& copy) {
  const ArgSetId set = ArgumentsOf(trace, copy);
  const std::string operation(UnfoundOperation(trace, set));
  const std::string_view program = TextArgument(trace, set, "hlo_module");
  return operation.empty() || program.empty() ? operation : fmt::format("{}/{}", program, operation);
}

// What is collected for one row.
struct Collected {
  std::map<std::pair<size_t, size_t>, std::vector<Interval>> times;  // by host and device, inside the windows
  std::map<std::pair<size_t, size_t>, std::vector<Interval>> staging;
  std::vector<std::tuple<size_t, size_t, size_t>> steps;  // host, device, step
  Ps longest;                                             // copy
};

class Collector {
 public:
  explicit Collector(const RunView& view) : view_(view) {}

  TransfersResult Collect() &&;

 private:
  void AddHost(size_t h);
  void AddTo(TransferSum& sum, Collected& collected, size_t h, const Copy& copy, const Origin& origin);
  size_t SiteOf(const Trace& trace, const Copy& copy, const Origin& origin);
  void Finish(TransferSum& sum, Collected& collected);
  uint64_t StepsOfDevices(const Collected& collected) const;

  const RunView& view_;
  TransfersResult result_;
  std::map<std::pair<CopyKind, bool>, size_t> kind_index_;
  std::vector<Collected> kinds_;
  Collected all_;
  std::map<std::tuple<CopyKind, bool, int64_t, std::string>, size_t> site_index_;
  std::vector<Collected> sites_;
  // Of the host being read: the last site of an instruction, by program and instruction, and the site of a
  // kind, size and stack of names: what stands around a call is put into words once.
  std::unordered_map<uint64_t, size_t> site_of_instruction_;
  std::map<std::vector<uint32_t>, size_t> site_of_stack_;
};

size_t Collector::SiteOf(const Trace& trace, const Copy& copy, const Origin& origin) {
  const uint64_t key = uint64_t{copy.instruction.program.value} << 32 | copy.instruction.instruction.value;
  if (copy.instruction.valid()) {
    const auto known = site_of_instruction_.find(key);
    if (known != site_of_instruction_.end() && result_.sites[known->second].kind == copy.kind &&
        result_.sites[known->second].bytes == copy.bytes) {
      return known->second;
    }
  }
  const std::string unfound = UnfoundPlace(trace, copy);
  std::vector<uint32_t> stack;
  if (origin.asker && !copy.instruction.valid() && unfound.empty()) {
    const auto bytes = static_cast<uint64_t>(copy.bytes.value_or(-1));
    stack = {static_cast<uint32_t>(copy.kind), uint32_t{copy.in_program}, static_cast<uint32_t>(bytes),
             static_cast<uint32_t>(bytes >> 32)};
    for (const StringId name : StackOf(trace, *origin.asker)) stack.push_back(name.value);
    const auto known = site_of_stack_.find(stack);
    if (known != site_of_stack_.end()) return known->second;
  }
  TransferSite site;
  site.kind = copy.kind;
  site.in_program = copy.in_program;
  site.bytes = copy.bytes;
  site.operation = unfound;
  site.instruction = UnfoundOperation(trace, ArgumentsOf(trace, copy));
  if (copy.instruction.valid()) {
    const Program& program = trace.programs()[copy.instruction.program.value];
    const Instruction& instruction = program[copy.instruction.instruction];
    site.instruction = program.text(instruction.name);
    site.operation = fmt::format("{}/{}", program.name, site.instruction);
    site.program_id = program.id;
    if (instruction.op_name.valid()) site.scope = program.text(instruction.op_name);
  }
  // Inside a program the instruction is the place: no need to look around every launch of it.
  if (origin.asker && site.operation.empty()) {
    Caller caller = DescribeCaller(trace, *origin.asker);
    site.asked_by = std::move(caller.asked_by);
    site.python = std::move(caller.python);
    site.function = std::move(caller.function);
    site.stack = std::move(caller.stack);
  }
  std::string place = site.operation;
  for (const std::string* part : {&site.asked_by, &site.python, &site.function}) place += "\n" + *part;
  const auto [found, fresh] = site_index_.try_emplace(
      std::tuple(site.kind, site.in_program, copy.bytes.value_or(-1), std::move(place)),
      result_.sites.size());
  if (fresh) {
    result_.sites.push_back(std::move(site));
    sites_.emplace_back();
  }
  if (copy.instruction.valid()) site_of_instruction_[key] = found->second;
  if (!stack.empty()) site_of_stack_[std::move(stack)] = found->second;
  return found->second;
}

void Collector::AddTo(TransferSum& sum, Collected& collected, size_t h, const Copy& copy,
                      const Origin& origin) {
  ++sum.count;
  if (copy.bytes) {
    AddBytes(sum.bytes, *copy.bytes);
    sum.timed = SaturatedSum(sum.timed, copy.time.length());
  } else {
    ++sum.without_bytes;
  }
  if (copy.host_memory == MemoryKind::kPageable) ++sum.pageable;
  if (copy.host_memory == MemoryKind::kPinned) ++sum.pinned;
  if (copy.device) {
    const IntervalSet inside = Part(view_.hosts[h].windows[*copy.device], copy.time);
    sum.total = SaturatedSum(sum.total, TotalLength(inside));
    auto& times = collected.times[{h, *copy.device}];
    times.insert(times.end(), inside.begin(), inside.end());
  } else {
    ++sum.without_device;
    sum.total = SaturatedSum(sum.total, copy.time.length());
  }
  if (!origin.staging) return;
  ++sum.staged;
  sum.staging = SaturatedSum(sum.staging, origin.staging_time.length());
  if (copy.device) collected.staging[{h, *copy.device}].push_back(origin.staging_time);
  if (copy.bytes) {
    AddBytes(sum.staged_bytes, *copy.bytes);
    sum.staged_timed = SaturatedSum(sum.staged_timed, origin.staging_time.length());
  }
}

// The steps of the view's first series on one device, for looking up instants. O(log steps) each.
class StepTimes {
 public:
  StepTimes(const HostView& host, size_t device) {
    if (host.series.empty()) return;
    const std::vector<Step>& steps = host.series[0].steps;
    for (size_t s = 0; s < steps.size(); ++s) {
      if (!steps[s].time[device].empty()) times_.emplace_back(steps[s].time[device], s);
    }
    std::ranges::sort(times_, {}, [](const auto& entry) { return entry.first.begin; });
  }
  std::optional<size_t> At(Ps time) const {
    const auto after =
        std::ranges::upper_bound(times_, time, {}, [](const auto& entry) { return entry.first.begin; });
    if (after == times_.begin() || !std::prev(after)->first.contains(time)) return std::nullopt;
    return std::prev(after)->second;
  }

 private:
  std::vector<std::pair<Interval, size_t>> times_;  // disjoint
};

void Collector::AddHost(size_t h) {
  const HostView& host = view_.hosts[h];
  const std::vector<Copy> copies = FindCopies(host);
  const std::vector<Origin> origins = FindOrigins(host, copies);
  std::vector<StepTimes> step_times;
  for (size_t d = 0; d < host.devices.size(); ++d) step_times.emplace_back(host, d);
  site_of_instruction_.clear();
  site_of_stack_.clear();
  for (size_t i = 0; i < copies.size(); ++i) {
    const Copy& copy = copies[i];
    if (!copy.counts) continue;
    ++result_.count;
    if (copy.kind != CopyKind::kMemset) AddTo(result_.all, all_, h, copy, origins[i]);
    const auto [kind, fresh] = kind_index_.try_emplace({copy.kind, copy.in_program}, result_.kinds.size());
    if (fresh) {
      result_.kinds.push_back({copy.kind, copy.in_program, {}});
      kinds_.emplace_back();
    }
    AddTo(result_.kinds[kind->second].sum, kinds_[kind->second], h, copy, origins[i]);
    const size_t s = SiteOf(host.trace(), copy, origins[i]);
    TransferSite& site = result_.sites[s];
    AddTo(site.sum, sites_[s], h, copy, origins[i]);
    if (!site.longest.track.valid() || copy.time.length() > sites_[s].longest) {
      site.host = h;
      site.longest = copy.event;
      sites_[s].longest = copy.time.length();
    }
    if (copy.device &&
        !Part(host.windows[*copy.device], {copy.time.begin, copy.time.begin + Ps(1)}).empty()) {
      if (const auto step = step_times[*copy.device].At(copy.time.begin)) {
        sites_[s].steps.emplace_back(h, *copy.device, *step);
      }
    }
    if (!origins[i].staging) continue;
    if (site.staging_work.empty()) site.staging_work = DescribeWork(host.trace(), *origins[i].staging);
    AddOnce(site.staging_threads, TrackName(host.trace(), host.trace().track(origins[i].staging->track)));
  }
  for (size_t d = 0; d < host.devices.size(); ++d) {
    result_.window = SaturatedSum(result_.window, TotalLength(host.windows[d]));
    for (const Interval& window : host.windows[d]) {
      result_.compute = SaturatedSum(result_.compute, host.times[d].Split(window).compute);
    }
  }
}

void Collector::Finish(TransferSum& sum, Collected& collected) {
  for (auto& [where, times] : collected.times) {
    const DeviceTime& device = view_.hosts[where.first].times[where.second];
    for (const Interval& time : Normalize(std::move(times))) {
      sum.union_time = SaturatedSum(sum.union_time, time.length());
      sum.hidden = SaturatedSum(sum.hidden, device.Split(time).compute);
    }
  }
  for (auto& [where, times] : collected.staging) {
    const DeviceTime& device = view_.hosts[where.first].times[where.second];
    for (const Interval& time : Normalize(std::move(times))) {
      sum.staging_union = SaturatedSum(sum.staging_union, time.length());
      sum.staging_idle = SaturatedSum(sum.staging_idle, device.Split(time).idle);
    }
  }
}

// Of the devices that it copies to or from.
uint64_t Collector::StepsOfDevices(const Collected& collected) const {
  int64_t steps = 0;
  for (const auto& [where, times] : collected.times)
    steps += view_.hosts[where.first].device_steps[where.second];
  return static_cast<uint64_t>(steps);
}

TransfersResult Collector::Collect() && {
  for (size_t h = 0; h < view_.hosts.size(); ++h) AddHost(h);
  result_.steps = view_.device_steps();
  Finish(result_.all, all_);
  for (size_t k = 0; k < kinds_.size(); ++k) Finish(result_.kinds[k].sum, kinds_[k]);
  for (size_t s = 0; s < sites_.size(); ++s) {
    TransferSite& site = result_.sites[s];
    Finish(site.sum, sites_[s]);
    std::ranges::sort(sites_[s].steps);
    const auto repeated = std::ranges::unique(sites_[s].steps);
    site.steps_with = static_cast<uint64_t>(repeated.begin() - sites_[s].steps.begin());
    site.every_step = site.steps_with > 1 && site.steps_with >= StepsOfDevices(sites_[s]);
  }
  std::ranges::sort(result_.kinds, {}, [](const TransferKind& k) { return std::pair(k.kind, k.in_program); });
  std::ranges::stable_sort(result_.sites, [](const TransferSite& a, const TransferSite& b) {
    return SaturatedSum(a.sum.total, a.sum.staging) > SaturatedSum(b.sum.total, b.sum.staging);
  });
  return std::move(result_);
}

}  // namespace

std::optional<double> TransferSum::rate() const { return Rate(bytes, timed); }
std::optional<double> TransferSum::staging_rate() const { return Rate(staged_bytes, staged_timed); }

const TransfersResult& FindTransfers(const RunView& view) {
  return view.memo->Get<TransfersResult>([&] { return Collector(view).Collect(); });
}

}  // namespace gait::analyze
