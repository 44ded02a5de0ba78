#include "gait/analyze/question/kernels/kernels.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "gait/analyze/question/kernels/kernel_name.h"

namespace gait::analyze {
namespace {

constexpr Ps kDispatchGap = Milliseconds(1);
constexpr Ps kForever(std::numeric_limits<int64_t>::max());
constexpr Ps kNever(std::numeric_limits<int64_t>::min());
constexpr uint32_t kUnset = 0xffffffff;
constexpr uint32_t kNoKernel = 0xfffffffe;

int64_t Product(const std::array<int64_t, 3>& d) {
  const Int128 exact = static_cast<Int128>(d[0]) * d[1] * d[2];  // at most 2^93
  return static_cast<int64_t>(std::min<Int128>(exact, std::numeric_limits<int64_t>::max()));
}

std::optional<int64_t> Product(const std::optional<std::array<int64_t, 3>>& d) {
  return d ? std::optional(Product(*d)) : std::nullopt;
}

// What is collected of a kernel before its statistics are made.
struct Collected {
  Kernel kernel;
  struct Shape {
    LaunchShape shape;
    ComputeCapability capability;
    int64_t multiprocessors;
    uint32_t id;  // over all kernels
  };
  std::vector<Shape> shapes;
  std::unordered_set<std::string> operations, scopes;
  std::set<int64_t> streams;
  const Trace* trace = nullptr;  // of the first host that ran it, whose programs tell about tensor cores
  std::vector<InstructionRef> instructions;
};

void AddOnce(auto& list, const auto& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

// How much of the time is covered by intervals in order of begin.
struct Covered {
  Ps time;
  Ps reached = kNever;

  void Add(Interval interval) {
    if (interval.end <= reached) return;
    time += interval.end - std::max(interval.begin, reached);
    reached = interval.end;
  }
};

// Kernels in a row that one call of the host launched.
struct CallKernels {
  EventRef call;
  uint64_t kernels = 0;
};

class Collector {
 public:
  Collector() {
    result_.sizes = {SizeClass{"below 10 µs", Ps(), Microseconds(10), 0, Ps()},
                     SizeClass{"10 to 100 µs", Microseconds(10), Microseconds(100), 0, Ps()},
                     SizeClass{"100 µs to 1 ms", Microseconds(100), Milliseconds(1), 0, Ps()},
                     SizeClass{"1 ms and more", Milliseconds(1), kForever, 0, Ps()}};
  }
  void Add(const HostView& host);
  KernelsResult Finish() &&;

 private:
  // Events of one name with one argument set: what they say about shape and instruction is looked up once.
  struct Use {
    StringId name;
    StringId details;
    uint32_t kernel = kNoKernel;
    uint32_t shape = 0;  // by Shape::id
  };
  // What an argument set says of its events.
  struct OfSet {
    bool other_record = false;  // a copy, a memset, an allocation; of a program that was not selected
    bool details_vary = false;  // the event itself has them
    StringId details;           // kernel_details
    Use usual;                  // the last one
  };
  // What is counted per event of a device, apart from the kernels so that it stays in the cache.
  struct Sums {
    uint64_t count = 0;
    Ps total;
    Covered covered;
    TrackId stream;  // the last
  };
  struct UseKey {
    uint32_t name, set, details;
    friend bool operator==(const UseKey&, const UseKey&) = default;
  };
  struct HashUseKey {
    size_t operator()(const UseKey& key) const {
      return std::hash<uint64_t>()((uint64_t{key.name} << 32 | key.set) * 0x9e3779b97f4a7c15 + key.details);
    }
  };

  void AddDevice(const HostView& host, size_t d);
  uint32_t KernelOf(const Trace& trace, StringId name, WorkClass work);
  const Use& UseOf(const HostView& host, size_t d, const WorkItem& item);
  void AddOperation(const Trace& trace, Collected& collected, ArgSetId set);
  uint32_t ShapeOf(const Trace& trace, const Plane& plane, Collected& collected, StringId details);
  void AddLaunches(const HostView& host, std::vector<CallKernels> calls);
  void Summarize(Collected& collected, const std::vector<Ps>& durations) const;

  std::unordered_map<std::string, uint32_t> by_name_;
  std::vector<Collected> kernels_;
  std::vector<std::vector<Ps>> durations_;  // by kernel
  std::vector<uint64_t> shape_counts_;      // by Shape::id
  std::vector<Ps> call_durations_;
  KernelsResult result_;

  // Of the host being read:
  std::vector<uint32_t> kernel_of_name_;  // by StringId
  std::vector<OfSet> sets_;               // by ArgSetId
  std::unordered_map<UseKey, Use, HashUseKey> uses_;
  StringId details_;
};

uint32_t Collector::KernelOf(const Trace& trace, StringId name, WorkClass work) {
  uint32_t& kernel = kernel_of_name_[name.value];
  if (kernel != kUnset) return kernel;
  const std::string_view text = trace.text(name);
  if (ClassOfKernel(text) == WorkClass::kCopy) return kernel = kNoKernel;
  const auto [found, fresh] = by_name_.try_emplace(Demangle(text), static_cast<uint32_t>(kernels_.size()));
  if (fresh) {
    kernels_.emplace_back().kernel.name = found->first;
    kernels_.back().kernel.work = work;
    kernels_.back().trace = &trace;
    durations_.emplace_back();
  }
  return kernel = found->second;
}

void Collector::AddOperation(const Trace& trace, Collected& collected, ArgSetId set) {
  const Attribution found = trace.attribution(set);
  if (!found.instruction.valid()) return;
  const Program& program = trace.programs()[found.instruction.program.value];
  const Instruction& instruction = program[found.instruction.instruction];
  std::string operation = program.name + "/" + std::string(program.text(instruction.name));
  if (collected.operations.insert(fmt::format("{} {}", program.id, operation)).second) {
    collected.kernel.programs.push_back(program.id);
    collected.kernel.operations.push_back(std::move(operation));
    if (collected.trace == &trace) collected.instructions.push_back(found.instruction);
  }
  std::string scope(instruction.op_name.valid() ? program.text(instruction.op_name) : std::string_view());
  if (!scope.empty() && collected.scopes.insert(scope).second) collected.kernel.scopes.push_back(scope);
}

uint32_t Collector::ShapeOf(const Trace& trace, const Plane& plane, Collected& collected, StringId details) {
  const auto number = [&](std::string_view key) {
    const auto value = trace.FindArg(plane.args, key);
    return value ? value->integer().value_or(0) : 0;
  };
  const Collected::Shape wanted = {details.valid() ? ParseKernelDetails(trace.text(details)) : LaunchShape(),
                                   {number("compute_cap_major"), number("compute_cap_minor")},
                                   number("core_count"),
                                   static_cast<uint32_t>(shape_counts_.size())};
  for (const Collected::Shape& s : collected.shapes) {
    if (s.shape == wanted.shape && s.capability == wanted.capability &&
        s.multiprocessors == wanted.multiprocessors) {
      return s.id;
    }
  }
  collected.shapes.push_back(wanted);
  shape_counts_.push_back(0);
  return wanted.id;
}

const Collector::Use& Collector::UseOf(const HostView& host, size_t d, const WorkItem& item) {
  const Trace& trace = host.trace();
  const EventRef event = item.event;
  const Track& track = trace.track(event.track);
  const ArgSetId set = track.args(event.index);
  OfSet& of_set = sets_[set.value];
  StringId details = of_set.details;
  if (of_set.details_vary) {
    const auto value = trace.FindArg(event, details_);
    details = value && value->is_string() ? value->string() : StringId();
  }
  const StringId name = track.name(event.index);
  if (of_set.usual.name == name && of_set.usual.details == details) return of_set.usual;
  const auto [found, fresh] = uses_.try_emplace(UseKey{name.value, set.value, details.value});
  if (fresh) {
    Use& use = found->second;
    use = {name, details, KernelOf(trace, name, item.work)};
    if (use.kernel != kNoKernel) {
      Collected& collected = kernels_[use.kernel];
      const Device& device = host.devices[d];
      AddOperation(trace, collected, set);
      AddOnce(collected.kernel.devices, device.name);
      use.shape = ShapeOf(trace, trace.plane(device.plane), collected, details);
    }
  }
  return of_set.usual = found->second;
}

void Collector::AddDevice(const HostView& host, size_t d) {
  const Trace& trace = host.trace();
  const IntervalSet& windows = host.windows[d];
  // Shapes depend on the device.
  for (OfSet& set : sets_) set.usual = {};
  uses_.clear();
  std::vector<Sums> sums;  // by kernel
  Covered all;
  std::array<SizeClass, 4> sizes = result_.sizes;
  std::vector<CallKernels> calls;
  size_t w = 0;
  for (const WorkItem& item : host.work[d]) {
    const EventRef event = item.event;
    const Track& track = trace.track(event.track);
    const OfSet& set = sets_[track.args(event.index).value];
    if (set.other_record || track.info().kind != TrackKind::kStream) continue;
    const Interval time = item.time;
    while (w < windows.size() && windows[w].end <= time.begin) ++w;
    if (w == windows.size()) break;
    const bool inside = time.empty() ? windows[w].contains(time.begin) : windows[w].begin < time.end;
    if (!inside) continue;
    // Most sets belong to one kernel: its use is at hand.
    const bool usual = set.usual.name == track.name(event.index) && !set.details_vary;
    const Use& use = usual ? set.usual : UseOf(host, d, item);
    if (use.kernel == kNoKernel) continue;
    if (use.kernel >= sums.size()) sums.resize(kernels_.size());
    Sums& sum = sums[use.kernel];
    Ps part;
    const auto count = [&](Interval here) {
      part += here.length();  // the windows are disjoint
      sum.covered.Add(here);
      all.Add(here);
    };
    if (windows[w].contains(time)) {  // nearly all are
      count(time);
    } else {
      for (size_t i = w; i < windows.size() && windows[i].begin < time.end; ++i)
        count({std::max(time.begin, windows[i].begin), std::min(time.end, windows[i].end)});
    }
    durations_[use.kernel].push_back(time.length());
    ++shape_counts_[use.shape];
    ++sum.count;
    sum.total = SaturatedSum(sum.total, part);
    if (sum.stream != event.track) kernels_[use.kernel].streams.insert(track.info().id);
    sum.stream = event.track;
    SizeClass* size = sizes.data();
    while (time.length() >= size->below) ++size;
    ++size->count;
    size->total = SaturatedSum(size->total, part);
    if (item.has_call()) {
      // A graph's kernels follow each other: they are one entry, which is cheap to sort.
      if (calls.empty() || calls.back().call != item.call) calls.push_back({item.call, 0});
      ++calls.back().kernels;
    } else {
      ++result_.launches.unlinked;
    }
  }
  result_.union_time += all.time;
  result_.sizes = sizes;
  for (size_t i = 0; i < sums.size(); ++i) {
    Kernel& kernel = kernels_[i].kernel;
    kernel.count += sums[i].count;
    kernel.total = SaturatedSum(kernel.total, sums[i].total);
    kernel.union_time += sums[i].covered.time;
  }
  AddLaunches(host, std::move(calls));
}

void Collector::AddLaunches(const HostView& host, std::vector<CallKernels> calls) {
  const Trace& trace = host.trace();
  std::ranges::sort(calls, {}, &CallKernels::call);
  std::vector<Ps> begins;
  LaunchCalls& launches = result_.launches;
  for (size_t i = 0, next = 0; i < calls.size(); i = next) {
    const EventRef call = calls[i].call;
    uint64_t kernels = 0;
    for (; next < calls.size() && calls[next].call == call; ++next) kernels += calls[next].kernels;
    const Track& track = trace.track(call.track);
    begins.push_back(track.begin(call.index));
    call_durations_.push_back(track.duration(call.index));
    launches.total = SaturatedSum(launches.total, track.duration(call.index));
    ++launches.calls;
    const std::string_view name = trace.name(call);
    if (name.find("GraphLaunch") == std::string_view::npos) continue;
    ++launches.graph_calls;
    launches.graph_kernels += kernels;
  }
  std::ranges::sort(begins);
  for (size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] - begins[i - 1] < kDispatchGap) launches.dispatching += begins[i] - begins[i - 1];
  }
}

void Collector::Add(const HostView& host) {
  const Trace& trace = host.trace();
  kernel_of_name_.assign(trace.strings().size(), kUnset);
  sets_.assign(trace.arg_sets().size(), {});
  for (size_t s = 0; s < sets_.size(); ++s) {
    sets_[s].other_record = host.of_another_program(trace.attribution(ArgSetId(s)));
  }
  details_ = trace.strings().Find("kernel_details").value_or(StringId());
  for (size_t s = 0; details_.valid() && s < sets_.size(); ++s) {
    for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(s)]) {
      if (entry.key != details_) continue;
      sets_[s].details_vary = entry.varying;
      const ArgValue value{entry.type, entry.bits};
      if (!entry.varying && value.is_string()) sets_[s].details = value.string();
      break;
    }
  }
  for (const char* key : {"memcpy_details", "Memset_details", "memalloc_details", "MemFree_details",
                          "MemoryResidency_details"}) {
    const auto id = trace.strings().Find(key);
    if (!id) continue;
    for (size_t s = 0; s < sets_.size(); ++s) {
      if (std::ranges::find(trace.arg_sets()[ArgSetId(s)], *id, &ArgEntry::key) !=
          trace.arg_sets()[ArgSetId(s)].end()) {
        sets_[s].other_record = true;
      }
    }
  }
  for (size_t d = 0; d < host.devices.size(); ++d) {
    if (trace.plane(host.devices[d].plane).kind != PlaneKind::kGpu) continue;
    ++result_.gpus;
    result_.steps += host.steps;
    result_.window += TotalLength(host.windows[d]);
    AddDevice(host, d);
  }
}

void Collector::Summarize(Collected& collected, const std::vector<Ps>& durations) const {
  Kernel& kernel = collected.kernel;
  kernel.durations = StatisticsOf(durations);
  kernel.streams.assign(collected.streams.begin(), collected.streams.end());
  for (const Collected::Shape& s : collected.shapes) {
    kernel.grid_blocks.Add(Product(s.shape.grid));
    kernel.block_threads.Add(Product(s.shape.block));
    kernel.registers.Add(s.shape.registers);
    kernel.shared.Add(s.shape.shared);
  }
  const auto common = std::ranges::max_element(
      collected.shapes, {}, [&](const Collected::Shape& s) { return shape_counts_[s.id]; });
  kernel.shapes = collected.shapes.size();
  kernel.shape = common->shape;
  kernel.computed = ComputeOccupancy(kernel.shape, common->capability);
  kernel.occupancy = kernel.shape.occupancy;
  if (!kernel.occupancy && kernel.computed) kernel.occupancy = kernel.computed->percent;
  const auto grid = Product(kernel.shape.grid);
  if (grid && kernel.computed && common->multiprocessors > 0) {
    kernel.waves = static_cast<double>(*grid) / (static_cast<double>(kernel.computed->blocks) *
                                                 static_cast<double>(common->multiprocessors));
  }
  kernel.tensor_cores = FindTensorCores(kernel.name, *collected.trace, collected.instructions);
}

KernelsResult Collector::Finish() && {
  std::vector<std::string> names;
  for (size_t i = 0; i < kernels_.size(); ++i) {
    Summarize(kernels_[i], durations_[i]);
    names.push_back(kernels_[i].kernel.name);
  }
  const std::vector<std::string> short_names = ShortKernelNames(names);
  for (size_t i = 0; i < kernels_.size(); ++i) {
    kernels_[i].kernel.short_name = short_names[i];
    result_.count += kernels_[i].kernel.count;
    result_.total = SaturatedSum(result_.total, kernels_[i].kernel.total);
    result_.kernels.push_back(std::move(kernels_[i].kernel));
  }
  std::ranges::stable_sort(result_.kernels, [](const Kernel& a, const Kernel& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
  LaunchCalls& launches = result_.launches;
  if (!call_durations_.empty()) {
    launches.durations = StatisticsOf(call_durations_);
  }
  result_.launch_bound = result_.union_time < result_.window / 2 && launches.dispatching > result_.window / 2;
  return std::move(result_);
}

}  // namespace

void Range::Add(std::optional<int64_t> value) {
  if (!value) return;
  min = min ? std::min(*min, *value) : *value;
  max = max ? std::max(*max, *value) : *value;
}

KernelsResult FindKernels(const RunView& view) {
  Collector collector;
  for (const HostView& host : view.hosts) collector.Add(host);
  return std::move(collector).Finish();
}

}  // namespace gait::analyze
