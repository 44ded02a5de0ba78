#include "gait/analyze/kernels/kernels.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "gait/analyze/kernels/kernel_name.h"

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
  std::vector<Ps> durations;
  struct Shape {
    LaunchShape shape;
    ComputeCapability capability;
    int64_t multiprocessors;
    uint64_t count;
  };
  std::vector<Shape> shapes;
  std::unordered_set<std::string> operations, scopes;
  std::set<int64_t> streams;
  TrackId stream;                // the last
  const Trace* trace = nullptr;  // of the first host that ran it, whose programs tell about tensor cores
  std::vector<InstructionRef> instructions;
};

void AddOnce(auto& list, const auto& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

// Kernels in a row that one call of the host launched.
struct CallKernels {
  EventRef call;
  uint64_t kernels = 0;
};

class Collector {
 public:
  Collector() {
    result_.sizes = {SizeClass{"below 10 µs", Microseconds(10), 0, Ps()},
                     SizeClass{"10 to 100 µs", Microseconds(100), 0, Ps()},
                     SizeClass{"100 µs to 1 ms", Milliseconds(1), 0, Ps()},
                     SizeClass{"1 ms and more", kForever, 0, Ps()}};
  }
  void Add(const HostView& host);
  KernelsResult Finish() &&;

 private:
  // Events of one name with one argument set: what they say about shape and instruction is looked up once.
  struct Use {
    StringId name;
    StringId details;
    uint32_t shape = 0;  // of the kernel
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
  uint32_t KernelOf(const Trace& trace, StringId name);
  const Use& UseOf(const HostView& host, size_t d, EventRef event, uint32_t kernel);
  void AddOperation(const Trace& trace, Collected& collected, ArgSetId set);
  uint32_t ShapeOf(const Trace& trace, const Plane& plane, Collected& collected, StringId details);
  void AddLaunches(const HostView& host, std::vector<CallKernels> calls);

  std::unordered_map<std::string, uint32_t> by_name_;
  std::vector<Collected> kernels_;
  std::vector<Ps> call_durations_;
  KernelsResult result_;

  // Of the host being read:
  std::vector<uint32_t> kernel_of_name_;  // by StringId
  std::vector<bool> other_record_;        // by ArgSetId: a copy, a memset, an allocation
  std::vector<Use> usual_;                // by ArgSetId: the last one
  std::unordered_map<UseKey, Use, HashUseKey> uses_;
  std::vector<StringId> details_of_set_;  // by ArgSetId: kernel_details
  std::vector<bool> details_vary_;        // by ArgSetId: the event itself has them
  StringId details_;
};

uint32_t Collector::KernelOf(const Trace& trace, StringId name) {
  uint32_t& kernel = kernel_of_name_[name.value];
  if (kernel != kUnset) return kernel;
  const std::string_view text = trace.text(name);
  if (ClassOfKernel(text) == WorkClass::kCopy) return kernel = kNoKernel;
  const auto [found, fresh] = by_name_.try_emplace(Demangle(text), static_cast<uint32_t>(kernels_.size()));
  if (fresh) {
    kernels_.emplace_back().kernel.name = found->first;
    kernels_.back().trace = &trace;
  }
  return kernel = found->second;
}

void Collector::AddOperation(const Trace& trace, Collected& collected, ArgSetId set) {
  const Attribution found = trace.attribution(set);
  if (!found.instruction.valid()) return;
  const Program& program = trace.programs()[found.instruction.program.value];
  const Instruction& instruction = program[found.instruction.instruction];
  std::string operation = program.name + "/" + std::string(program.text(instruction.name));
  if (collected.operations.insert(operation).second) {
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
                                   0};
  for (size_t i = 0; i < collected.shapes.size(); ++i) {
    const Collected::Shape& s = collected.shapes[i];
    if (s.shape == wanted.shape && s.capability == wanted.capability &&
        s.multiprocessors == wanted.multiprocessors) {
      return static_cast<uint32_t>(i);
    }
  }
  collected.shapes.push_back(wanted);
  return static_cast<uint32_t>(collected.shapes.size() - 1);
}

const Collector::Use& Collector::UseOf(const HostView& host, size_t d, EventRef event, uint32_t kernel) {
  const Trace& trace = host.trace();
  const Track& track = trace.track(event.track);
  const ArgSetId set = track.args(event.index);
  StringId details = details_of_set_[set.value];
  if (details_vary_[set.value]) {
    const auto value = trace.FindArg(event, details_);
    details = value && value->is_string() ? value->string() : StringId();
  }
  const StringId name = track.name(event.index);
  // Most sets belong to one kernel: its use is at hand.
  Use& usual = usual_[set.value];
  if (usual.name == name && usual.details == details) return usual;
  const auto [found, fresh] = uses_.try_emplace(UseKey{name.value, set.value, details.value});
  if (fresh) {
    Collected& collected = kernels_[kernel];
    const Device& device = host.devices[d];
    AddOperation(trace, collected, set);
    AddOnce(collected.kernel.devices, device.name);
    found->second = {name, details, ShapeOf(trace, trace.plane(device.plane), collected, details)};
  }
  return usual = found->second;
}

void Collector::AddDevice(const HostView& host, size_t d) {
  const Trace& trace = host.trace();
  const IntervalSet& windows = host.windows[d];
  // Shapes depend on the device.
  usual_.assign(trace.arg_sets().size(), {});
  uses_.clear();
  std::vector<Ps> reached(kernels_.size(), kNever);
  Ps all_reached = kNever;
  for (Collected& collected : kernels_) collected.stream = TrackId();
  std::vector<CallKernels> calls;
  size_t w = 0;
  for (const WorkItem& item : host.work[d]) {
    const EventRef event = item.event;
    const Track& track = trace.track(event.track);
    if (track.info().kind != TrackKind::kStream || other_record_[track.args(event.index).value]) continue;
    const Interval time = track.interval(event.index);
    while (w < windows.size() && windows[w].end <= time.begin) ++w;
    if (w == windows.size()) break;
    const bool inside = time.empty() ? windows[w].contains(time.begin) : windows[w].begin < time.end;
    if (!inside) continue;
    const uint32_t index = KernelOf(trace, track.name(event.index));
    if (index == kNoKernel) continue;
    reached.resize(kernels_.size(), kNever);
    Collected& collected = kernels_[index];
    Kernel& kernel = collected.kernel;
    Ps part;
    for (size_t i = w; i < windows.size() && windows[i].begin < time.end; ++i) {
      const Ps begin = std::max(time.begin, windows[i].begin);
      const Ps end = std::min(time.end, windows[i].end);
      part += end - begin;  // the windows are disjoint
      kernel.union_time += std::max(Ps(), end - std::max(begin, reached[index]));
      result_.union_time += std::max(Ps(), end - std::max(begin, all_reached));
      reached[index] = std::max(reached[index], end);
      all_reached = std::max(all_reached, end);
    }
    if (kernel.count++ == 0) kernel.work = item.work;
    kernel.total = SaturatedSum(kernel.total, part);
    collected.durations.push_back(time.length());
    ++collected.shapes[UseOf(host, d, event, index).shape].count;
    if (collected.stream != event.track) collected.streams.insert(track.info().id);
    collected.stream = event.track;
    const auto size =
        std::ranges::find_if(result_.sizes, [&](const SizeClass& s) { return time.length() < s.below; });
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
  other_record_.assign(trace.arg_sets().size(), false);
  details_ = trace.strings().Find("kernel_details").value_or(StringId());
  details_of_set_.assign(trace.arg_sets().size(), StringId());
  details_vary_.assign(trace.arg_sets().size(), false);
  for (size_t s = 0; details_.valid() && s < details_of_set_.size(); ++s) {
    for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(s)]) {
      if (entry.key != details_) continue;
      details_vary_[s] = entry.varying;
      const ArgValue value{entry.type, entry.bits};
      if (!entry.varying && value.is_string()) details_of_set_[s] = value.string();
      break;
    }
  }
  for (const char* key : {"memcpy_details", "Memset_details", "memalloc_details", "MemFree_details",
                          "MemoryResidency_details"}) {
    const auto id = trace.strings().Find(key);
    if (!id) continue;
    for (size_t s = 0; s < other_record_.size(); ++s) {
      if (std::ranges::find(trace.arg_sets()[ArgSetId(s)], *id, &ArgEntry::key) !=
          trace.arg_sets()[ArgSetId(s)].end()) {
        other_record_[s] = true;
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

void Summarize(Collected& collected) {
  Kernel& kernel = collected.kernel;
  kernel.durations = StatisticsOf(collected.durations);
  kernel.streams.assign(collected.streams.begin(), collected.streams.end());
  for (const Collected::Shape& s : collected.shapes) {
    kernel.grid_blocks.Add(Product(s.shape.grid));
    kernel.block_threads.Add(Product(s.shape.block));
    kernel.registers.Add(s.shape.registers);
    kernel.shared.Add(s.shape.shared);
  }
  const auto common = std::ranges::max_element(collected.shapes, {}, &Collected::Shape::count);
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
  std::erase_if(kernels_, [](const Collected& c) { return c.kernel.count == 0; });
  for (Collected& collected : kernels_) {
    Summarize(collected);
    names.push_back(collected.kernel.name);
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
