#include "gait/analyze/question/memory/program_memory.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace gait::analyze {
namespace {

constexpr int64_t kMost = int64_t{1} << 56;  // of one size: sums of many stay in range

int64_t Bounded(int64_t size) { return std::clamp<int64_t>(size, 0, kMost); }

int64_t Sum(int64_t a, int64_t b) { return std::min(a + b, int64_t{1} << 60); }

BufferKind KindOf(const BufferAllocation& a) {
  if (a.entry_parameter) return BufferKind::kParameter;
  if (a.constant) return BufferKind::kConstant;
  return a.live_out ? BufferKind::kOutput : BufferKind::kTemporary;
}

class PeakFinder {
 public:
  explicit PeakFinder(const Program& program) : program_(program), assignment_(*program.buffers) {
    for (const LogicalBuffer& buffer : assignment_.buffers) by_id_.emplace(buffer.id, &buffer);
  }

  ProgramMemory Find() {
    result_.program = &program_;
    result_.known = true;
    std::vector<const BufferAllocation*> packed;
    for (const BufferAllocation& a : assignment_.allocations) {
      const int64_t size = Bounded(a.size);
      if (a.thread_local_buffer) {
        result_.per_thread = Sum(result_.per_thread, size);
      } else if (a.color != 0) {
        result_.other_spaces = Sum(result_.other_spaces, size);
      } else {
        const BufferKind kind = KindOf(a);
        int64_t& total = Total(kind);
        total = Sum(total, size);
        if (kind == BufferKind::kParameter && a.live_out) result_.donated = Sum(result_.donated, size);
        if (kind == BufferKind::kTemporary) {
          packed.push_back(&a);
        } else {
          AddWhole(a, kind);
        }
      }
    }
    for (const BufferAllocation* a : packed) {
      for (const AssignedBuffer& buffer : a->assigned) temporary_.insert(buffer.logical_buffer);
    }
    Simulate();
    const int64_t always = Sum(Sum(result_.parameters, result_.outputs), result_.constants);
    for (SchedulePoint& point : result_.schedule) point.bytes = Sum(point.bytes, always);
    AddUntraced(packed);
    for (const LiveBuffer& buffer : result_.live) {
      result_.padding = Sum(result_.padding, buffer.padding);
      if (buffer.kind == BufferKind::kTemporary)
        result_.live_temporaries = Sum(result_.live_temporaries, buffer.bytes);
    }
    std::ranges::stable_sort(result_.live, std::ranges::greater(), &LiveBuffer::bytes);
    return std::move(result_);
  }

 private:
  int64_t& Total(BufferKind kind) {
    switch (kind) {
      case BufferKind::kParameter:
        return result_.parameters;
      case BufferKind::kOutput:
        return result_.outputs;
      case BufferKind::kConstant:
        return result_.constants;
      case BufferKind::kTemporary:
        break;
    }
    return result_.temporaries;
  }

  LiveBuffer Describe(const LogicalBuffer& buffer, BufferKind kind) const {
    LiveBuffer live;
    live.kind = kind;
    live.instruction = buffer.defined_by;
    live.bytes = Bounded(buffer.size);
    if (!buffer.defined_by.valid() || !program_[buffer.defined_by].shape.valid()) return live;
    live.shape = SubShape(program_, program_[buffer.defined_by].shape, buffer.shape_index);
    if (!live.shape.valid()) return live;
    const std::optional<int64_t> bytes = program_.ByteSize(live.shape);
    if (bytes && *bytes >= 0 && *bytes < live.bytes) live.padding = live.bytes - *bytes;
    return live;
  }

  // An allocation that holds one value all the time; of those that share it, the parameter, else the largest.
  void AddWhole(const BufferAllocation& a, BufferKind kind) {
    const LogicalBuffer* chosen = nullptr;
    for (const AssignedBuffer& assigned : a.assigned) {
      const auto found = by_id_.find(assigned.logical_buffer);
      if (found == by_id_.end()) continue;
      if (chosen == nullptr || found->second->size > chosen->size) chosen = found->second;
      const InstructionIndex by = found->second->defined_by;
      if (by.valid() && program_.text(program_[by].opcode) == "parameter") {
        chosen = found->second;
        break;
      }
    }
    LiveBuffer live;
    if (chosen != nullptr) live = Describe(*chosen, kind);
    live.kind = kind;
    live.bytes = Bounded(a.size);
    if (chosen == nullptr || chosen->size != a.size) live.padding = 0;
    result_.live.push_back(live);
  }

  // Runs each trace of the heap simulator and keeps what is live at its peak.
  void Simulate() {
    for (const HeapTrace& trace : assignment_.heap_traces) {
      std::unordered_map<int64_t, int64_t> canonical;  // a buffer, the one whose bytes it shares
      std::unordered_map<int64_t, int64_t> users;
      std::set<int64_t> live;
      int64_t bytes = 0;
      int64_t most = 0;
      size_t peak = 0;
      const auto size_of = [&](int64_t id) {
        const auto found = by_id_.find(id);
        return found == by_id_.end() || !temporary_.contains(id) ? int64_t{0} : Bounded(found->second->size);
      };
      const auto step = [&](const HeapEvent& e) {
        if (e.kind == HeapEvent::Kind::kAllocate) {
          canonical[e.buffer] = e.buffer;
          if (++users[e.buffer] == 1 && live.insert(e.buffer).second) bytes = Sum(bytes, size_of(e.buffer));
          return;
        }
        if (e.kind == HeapEvent::Kind::kShareWith) {
          const auto shared = canonical.find(e.share_with);
          const int64_t owner = shared == canonical.end() ? e.share_with : shared->second;
          canonical[e.buffer] = owner;
          if (++users[owner] == 1 && live.insert(owner).second) bytes = Sum(bytes, size_of(owner));
          return;
        }
        const auto shared = canonical.find(e.buffer);
        if (shared == canonical.end()) return;
        const int64_t owner = shared->second;
        canonical.erase(shared);
        if (--users[owner] == 0 && live.erase(owner) > 0) bytes -= size_of(owner);
      };
      for (const HeapEvent& e : trace.events) {
        traced_.insert(e.buffer);
        if (e.kind == HeapEvent::Kind::kShareWith) traced_.insert(e.share_with);
      }
      std::vector<SchedulePoint> schedule;
      for (size_t i = 0; i < trace.events.size(); ++i) {
        const InstructionIndex at = trace.events[i].instruction;
        step(trace.events[i]);
        if (schedule.empty() || schedule.back().instruction != at) schedule.push_back({at, bytes});
        schedule.back().bytes = std::max(schedule.back().bytes, bytes);
        if (bytes > most) {
          most = bytes;
          peak = i;
        }
      }
      if (most == 0) continue;
      canonical.clear();
      users.clear();
      live.clear();
      for (size_t i = 0; i <= peak; ++i) step(trace.events[i]);
      if (most > largest_trace_) {
        largest_trace_ = most;
        result_.schedule = std::move(schedule);
        result_.peak_at = trace.events[peak].instruction;
      }
      for (const int64_t id : live) {
        if (size_of(id) > 0) result_.live.push_back(Describe(*by_id_.at(id), BufferKind::kTemporary));
      }
    }
  }

  // Temporaries that no trace speaks of: an allocation of one buffer is live as a whole; of one with several,
  // whatever lies at different places.
  void AddUntraced(const std::vector<const BufferAllocation*>& packed) {
    for (const BufferAllocation* a : packed) {
      std::vector<AssignedBuffer> rest;
      for (const AssignedBuffer& buffer : a->assigned) {
        if (!traced_.contains(buffer.logical_buffer) && by_id_.contains(buffer.logical_buffer))
          rest.push_back(buffer);
      }
      if (rest.size() != a->assigned.size()) continue;  // the trace has placed the rest around them
      std::ranges::stable_sort(rest, [](const AssignedBuffer& x, const AssignedBuffer& y) {
        return x.offset != y.offset ? x.offset < y.offset : x.size > y.size;
      });
      int64_t reached = 0;
      for (const AssignedBuffer& buffer : rest) {
        if (buffer.offset < reached) continue;
        LiveBuffer live = Describe(*by_id_.at(buffer.logical_buffer), BufferKind::kTemporary);
        reached = Sum(Bounded(buffer.offset), Bounded(buffer.size));
        result_.live.push_back(live);
      }
    }
  }

  const Program& program_;
  const BufferAssignment& assignment_;
  std::unordered_map<int64_t, const LogicalBuffer*> by_id_;
  std::unordered_set<int64_t> temporary_;  // ids of buffers in allocations of temporaries
  std::unordered_set<int64_t> traced_;
  int64_t largest_trace_ = 0;
  ProgramMemory result_{};
};

}  // namespace

std::string_view Name(BufferKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {"parameter", "output", "constant", "temporary"};
  return kNames[static_cast<size_t>(kind)];
}

ShapeId SubShape(const Program& program, ShapeId shape, const std::vector<int64_t>& index) {
  for (const int64_t i : index) {
    const Shape& s = program.shape(shape);
    if (i < 0 || static_cast<size_t>(i) >= s.elements.size()) return {};
    shape = s.elements[static_cast<size_t>(i)];
  }
  return program.shape(shape).type == ElementType::kTuple ? ShapeId() : shape;
}

ProgramMemory FindProgramMemory(const Program& program) {
  if (program.buffers) return PeakFinder(program).Find();
  ProgramMemory unknown{};
  unknown.program = &program;
  return unknown;
}

}  // namespace gait::analyze
