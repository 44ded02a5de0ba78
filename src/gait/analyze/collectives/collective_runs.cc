#include "gait/analyze/collectives/collective_runs.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "gait/analyze/collectives/device_groups.h"
#include "gait/analyze/collectives/host_lags.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

constexpr uint32_t kNone = 0xffffffff;

struct Meaning {
  uint32_t operation = kNone;
  Phase phase = Phase::kWhole;
  bool known = false;  // looked at already
};

// The id that stands for a program on all hosts: ids are equal where the hosts compiled the same programs in
// the same order; else the k-th program of a name is the same.
uint64_t CommonProgram(const RunView& view, const Trace& trace, const Program& program) {
  const Trace& first = view.hosts.front().trace();
  const Program* same = first.FindProgram(program.id);
  if (&first == &trace || (same != nullptr && same->name == program.name)) return program.id;
  const auto ids_of_name = [&](const Trace& t) {
    std::vector<uint64_t> ids;
    for (const Program& p : t.programs()) {
      if (p.name == program.name) ids.push_back(p.id);
    }
    std::ranges::sort(ids);
    return ids;
  };
  const std::vector<uint64_t> own = ids_of_name(trace);
  const std::vector<uint64_t> theirs = ids_of_name(first);
  const auto position = static_cast<size_t>(std::ranges::lower_bound(own, program.id) - own.begin());
  return position < theirs.size() ? theirs[position] : program.id;
}

std::string SourceOf(const Program& program, const Instruction& instruction) {
  const std::string_view file = program.text(instruction.source_file);
  if (file.empty()) return {};
  return instruction.source_line > 0 ? fmt::format("{}:{}", file, instruction.source_line)
                                     : std::string(file);
}

class Finder {
 public:
  explicit Finder(const RunView& view) : view_(view), groups_(view) {
    result_.devices = DevicesOf(view);
    result_.communication.resize(result_.devices.size());
  }

  CollectiveExecutions Run() && {
    uint32_t device = 0;
    for (size_t h = 0; h < view_.hosts.size(); ++h) {
      const HostView& host = view_.hosts[h];
      by_set_.assign(host.trace().arg_sets().size(), {});
      by_name_.assign(host.trace().strings().size(), {});
      run_id_ = host.trace().strings().Find("run_id").value_or(StringId());
      for (size_t d = 0; d < host.devices.size(); ++d) FindOnDevice(host, d, device++);
    }
    Number();
    return std::move(result_);
  }

 private:
  void FindOnDevice(const HostView& host, size_t d, uint32_t number) {
    const Trace& trace = host.trace();
    std::vector<std::vector<Interval>> times(kCollectiveKinds);
    for (const WorkItem& item : host.work[d]) {
      if (item.work != WorkClass::kCommunication) continue;
      const EventRef event = item.event;
      const Track& track = trace.track(event.track);
      const Meaning& meaning = MeaningOf(host, track, event.index);
      const Interval time = item.time;
      const auto kind = static_cast<size_t>(result_.operations[meaning.operation].kind);
      times[kind].push_back(time);
      // A start and its done are one on the line of asynchronous operations; one without the other says
      // nothing about how long the collective took. On a stream the kernel of a start is all of it.
      if (track.info().kind == TrackKind::kOps && meaning.phase != Phase::kWhole) continue;
      const std::optional<int64_t> run = RunOf(host, host.devices[d], item);
      if (!run) result_.by_run[meaning.operation] = false;
      result_.executions.push_back({meaning.operation, number, run.value_or(0), 0, time});
    }
    for (std::vector<Interval>& of_kind : times) {
      result_.communication[number].push_back(Normalize(std::move(of_kind)));
    }
  }

  const Meaning& MeaningOf(const HostView& host, const Track& track, EventIndex event) {
    const Attribution found = host.trace().attribution(track.args(event));
    Meaning& meaning =
        found.instruction.valid() ? by_set_[track.args(event).value] : by_name_[track.name(event).value];
    if (meaning.known) return meaning;
    const std::string_view name = host.trace().text(track.name(event));
    meaning =
        found.instruction.valid() ? OfInstruction(host.trace(), found.instruction, name) : OfKernel(name);
    meaning.known = true;
    return meaning;
  }

  Meaning OfInstruction(const Trace& trace, InstructionRef ref, std::string_view event_name) {
    const Program& program = trace.programs()[ref.program.value];
    const InstructionIndex beginning = Beginning(program, ref.instruction);
    const Instruction& instruction = program[beginning];
    const Phase phase = PhaseOfOpcode(program.text(program[ref.instruction].opcode));
    const std::string_view name = program.text(instruction.name);
    const auto [at, fresh] = known_.try_emplace(
        fmt::format("{}\n{}\n{}", program.name, CommonProgram(view_, trace, program), name),
        static_cast<uint32_t>(result_.operations.size()));
    if (!fresh) return {at->second, phase, true};
    CollectiveOperation operation;
    operation.name = name;
    operation.program = program.name;
    operation.program_id = program.id;
    operation.scope = program.text(instruction.op_name);
    operation.source = SourceOf(program, instruction);
    const auto kind = KindOfOpcode(WrappedOpcode(program, instruction));
    operation.kind = kind ? *kind : KindOfKernel(event_name);
    CollectiveGroups groups =
        kind ? groups_.Find(program, instruction, *kind) : groups_.Alone("its instruction is no collective");
    operation.group_size = groups.size;
    operation.groups = groups.count;
    operation.group_of = std::move(groups.of);
    operation.members_known = groups.members_known;
    operation.unknown_because = std::move(groups.unknown_because);
    if (kind) operation.message_bytes = MessageBytes(program, instruction, *kind, groups.size);
    if (!operation.message_bytes && operation.unknown_because.empty()) {
      operation.unknown_because = "the shape of an operand is not known";
    }
    Append(std::move(operation));
    return {at->second, phase, true};
  }

  Meaning OfKernel(std::string_view name) {
    const auto [at, fresh] =
        known_.try_emplace(fmt::format("\n\n{}", name), static_cast<uint32_t>(result_.operations.size()));
    if (!fresh) return {at->second, Phase::kWhole, true};
    CollectiveOperation operation;
    operation.name = name;
    operation.kind = KindOfKernel(name);
    operation.unknown_because = "no HLO instruction of the capture belongs to this kernel";
    operation.group_of = groups_.Alone({}).of;
    Append(std::move(operation));
    return {at->second, Phase::kWhole, true};
  }

  void Append(CollectiveOperation operation) {
    result_.operations.push_back(std::move(operation));
    result_.by_run.push_back(true);
  }

  // Of an operation of a CPU its own argument; of a kernel that of a call around its launch.
  std::optional<int64_t> RunOf(const HostView& host, const Device& device, const WorkItem& item) const {
    if (!run_id_.valid()) return std::nullopt;
    const Trace& trace = host.trace();
    if (const auto run = trace.FindArg(item.event, run_id_)) return run->integer();
    if (trace.plane(device.plane).kind != PlaneKind::kGpu) return std::nullopt;
    if (!item.has_call()) return std::nullopt;
    const Track& track = trace.track(item.call.track);
    for (EventIndex at = item.call.index; at.valid(); at = track.parent(at)) {
      if (const auto run = trace.FindArg({item.call.track, at}, run_id_)) return run->integer();
    }
    return std::nullopt;
  }

  // Numbers the executions of an operation within their run, or on the device where runs are unknown.
  void Number() {
    struct Key {
      uint32_t operation;
      uint32_t device;
      int64_t run;
      bool operator==(const Key&) const = default;
    };
    struct Hash {
      size_t operator()(const Key& key) const {
        const uint64_t mixed = (uint64_t{key.operation} << 32 | key.device) * 0x9e3779b97f4a7c15u;
        return static_cast<size_t>(mixed ^ (static_cast<uint64_t>(key.run) * 0xbf58476d1ce4e5b9u));
      }
    };
    std::unordered_map<Key, uint32_t, Hash> count;
    for (DeviceExecution& execution : result_.executions) {
      if (!result_.by_run[execution.operation]) execution.run = 0;
      execution.number = count[{execution.operation, execution.device, execution.run}]++;
    }
  }

  const RunView& view_;
  GroupFinder groups_;
  CollectiveExecutions result_;
  std::unordered_map<std::string, uint32_t> known_;  // operations by program and name
  std::vector<Meaning> by_set_;                      // of the host at hand
  std::vector<Meaning> by_name_;
  StringId run_id_;
};

}  // namespace

std::vector<RunDevice> DevicesOf(const RunView& view) {
  std::vector<RunDevice> devices;
  for (size_t h = 0; h < view.hosts.size(); ++h) {
    for (size_t d = 0; d < view.hosts[h].devices.size(); ++d) {
      devices.push_back({h, d, view.hosts[h].devices[d].name});
    }
  }
  return devices;
}

CollectiveExecutions FindCollectives(const RunView& view) {
  CollectiveExecutions found = Finder(view).Run();
  MatchHosts(view, found);
  return found;
}

}  // namespace gait::analyze
