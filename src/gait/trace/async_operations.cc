#include "gait/trace/async_operations.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gait/trace/async_phase.h"

namespace gait {
namespace {

// Which asynchronous operation an event is the start or the done of, by its argument set.
class Parts {
 public:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Part {
    uint32_t operation = kNone;
    bool done = false;
  };

  explicit Parts(const Trace& trace) : by_set_(trace.arg_sets().size()) {
    std::unordered_map<uint64_t, uint32_t> operations;  // by their start
    const auto key = [](ProgramIndex program, InstructionIndex start) {
      return uint64_t{program.value} << 32 | start.value;
    };
    for (size_t i = 0; i < by_set_.size(); ++i) {
      const InstructionRef ref = trace.attribution(ArgSetId(i)).instruction;
      if (!ref.valid()) continue;
      const Program& program = trace.programs()[ref.program.value];
      if (PhaseOfOpcode(program.text(program[ref.instruction].opcode)) != Phase::kDone) continue;
      const InstructionIndex start = Beginning(program, ref.instruction);
      if (!IsPaired(program, program[start])) continue;
      const auto number = static_cast<uint32_t>(operations.size());
      by_set_[i] = {operations.try_emplace(key(ref.program, start), number).first->second, true};
    }
    count_ = operations.size();
    for (size_t i = 0; i < by_set_.size() && count_ > 0; ++i) {
      const InstructionRef ref = trace.attribution(ArgSetId(i)).instruction;
      if (!ref.valid() || by_set_[i].done) continue;
      const auto found = operations.find(key(ref.program, ref.instruction));
      if (found != operations.end()) by_set_[i].operation = found->second;
    }
  }

  size_t operations() const { return count_; }
  const Part& Of(const Track& track, EventIndex event) const { return by_set_[track.args(event).value]; }

 private:
  // Other work that runs asynchronously may be a device's own compute: only its events tell when it runs.
  static bool IsPaired(const Program& program, const Instruction& start) {
    const std::string_view opcode = WrappedOpcode(program, start);
    return opcode == "copy-start" || IsCommunication(opcode);
  }

  std::vector<Part> by_set_;
  size_t count_ = 0;
};

struct InFlight {
  Interval time;
  EventRef start;
  EventRef done;
};

class PairFinder {
 public:
  PairFinder(const Trace& trace, PlaneId plane, const Parts& parts)
      : trace_(trace), parts_(parts), told_(parts.operations()) {
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      const Track& track = trace.tracks()[t];
      if (track.info().plane != plane) continue;
      if (track.info().kind == TrackKind::kModules) executions_ = &track;
      if (track.info().kind == TrackKind::kOps) lines_.push_back(TrackId(t));
      if (track.info().kind == TrackKind::kAsyncOps) AddTold(track);
    }
  }

  // In order of begin, at equal begin the longer first.
  std::vector<InFlight> Find() {
    std::vector<InFlight> found;
    for (const TrackId id : lines_) FindOn(id, found);
    std::ranges::stable_sort(found, [](const InFlight& a, const InFlight& b) {
      return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
    });
    return found;
  }

 private:
  void AddTold(const Track& line) {
    for (size_t i = 0; i < line.size(); ++i) {
      const Parts::Part& part = parts_.Of(line, EventIndex(i));
      if (part.operation != Parts::kNone) told_[part.operation].push_back(line.interval(EventIndex(i)));
    }
  }

  void FindOn(TrackId id, std::vector<InFlight>& found) const {
    const Track& track = trace_.track(id);
    struct Open {
      EventIndex start;
      EventIndex done;  // without a start so far
    };
    std::vector<Open> open(parts_.operations());
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const Parts::Part& part = parts_.Of(track, event);
      if (part.operation == Parts::kNone) continue;
      Open& now = open[part.operation];
      (part.done ? now.done : now.start) = event;
      if (!now.start.valid() || !now.done.valid()) continue;
      const Interval time{track.begin(now.start), track.end(now.done)};
      // Where a device sets its clock, several events begin together: the done comes first if it is longer.
      const bool pair = part.done ? SameExecution(time.begin, track.begin(now.done))
                                  : track.begin(now.start) == track.begin(now.done);
      if (pair && !time.empty() && !IsTold(part.operation, time))
        found.push_back({time, {id, now.start}, {id, now.done}});
      if (pair || part.done) now.start = EventIndex();
      if (pair || !part.done) now.done = EventIndex();
    }
  }

  // Events between may have been lost: then the done is of a later execution than the start.
  bool SameExecution(Ps start, Ps done) const {
    if (executions_ == nullptr) return true;
    const EventIndex after = executions_->LowerBound(start + Ps(1));
    if (after.value == 0) return true;
    const Interval around = executions_->interval(EventIndex(after.value - 1));
    return !around.contains(start) || done < around.end;
  }

  bool IsTold(uint32_t operation, Interval time) const {
    const auto next = std::ranges::upper_bound(told_[operation], time.begin, {}, &Interval::end);
    return next != told_[operation].end() && next->begin < time.end;
  }

  const Trace& trace_;
  const Parts& parts_;
  const Track* executions_ = nullptr;  // of programs
  std::vector<TrackId> lines_;
  std::vector<std::vector<Interval>> told_;  // by operation: in flight as the file's own line says
};

// `attribution` is by argument set: events with the arguments of others execute the same instructions.
void AddTrack(PlaneId plane, const std::vector<InFlight>& in_flight, std::vector<Attribution>& attribution,
              TraceBuilder& builder) {
  const Trace& trace = builder.trace();
  TrackInfo info;
  info.plane = plane;
  info.name = builder.Intern("Async XLA Ops (start to done)");
  info.kind = TrackKind::kAsyncOps;
  info.layout = Layout::kLanes;
  info.derived = true;
  TrackWriter writer = builder.NewTrack(info);
  for (const InFlight& operation : in_flight) {
    trace.ForEachArg(operation.done, [&](StringId key, ArgValue value) { writer.Arg(key, value); });
    writer.Event(operation.time.begin, operation.time.length(),
                 trace.track(operation.start.track).name(operation.start.index));
  }
  const TrackId added = builder.Add(std::move(writer));
  const size_t known = attribution.size();
  attribution.resize(trace.arg_sets().size());
  for (size_t i = 0; i < in_flight.size(); ++i) {
    const ArgSetId set = trace.track(added).args(EventIndex(i));
    const EventRef done = in_flight[i].done;
    if (set.value >= known)
      attribution[set.value] = attribution[trace.track(done.track).args(done.index).value];
  }
}

}  // namespace

void AddAsyncOperations(TraceBuilder& builder) {
  const Trace& trace = builder.trace();
  const bool any_line = std::ranges::any_of(
      trace.tracks(), [](const Track& track) { return track.info().kind == TrackKind::kOps; });
  if (!any_line) return;
  const Parts parts(trace);
  if (parts.operations() == 0) return;
  std::vector<std::pair<PlaneId, std::vector<InFlight>>> found;
  for (size_t p = 0; p < trace.planes().size(); ++p) {
    if (!trace.planes()[p].is_device()) continue;
    std::vector<InFlight> in_flight = PairFinder(trace, PlaneId(p), parts).Find();
    if (!in_flight.empty()) found.emplace_back(PlaneId(p), std::move(in_flight));
  }
  if (found.empty()) return;
  std::vector<Attribution> attribution;
  for (size_t i = 0; i < trace.arg_sets().size(); ++i) attribution.push_back(trace.attribution(ArgSetId(i)));
  for (const auto& [plane, in_flight] : found) AddTrack(plane, in_flight, attribution, builder);
  builder.SetAttribution(std::move(attribution));
}

}  // namespace gait
