#include "gait/read/hlo/module_reader.h"

#include <algorithm>

#include "gait/base/limits.h"
#include "gait/read/hlo/sharding.h"

namespace gait::hlo {
namespace {

// hlo.proto, HloModuleProto.
enum ModuleField : uint32_t {
  kModuleName = 1,
  kEntryName = 2,
  kComputations = 3,
  kModuleId = 5,
  kEntryId = 6,
  kSchedule = 7,
  kResultSharding = 12,      // of the program before it was partitioned
  kParameterShardings = 14,  // likewise, one for each
  kDeviceAssignment = 15,
  kStackFrameIndex = 17,
};

enum ComputationField : uint32_t {
  kComputationName = 1,
  kInstructions = 2,
  kComputationId = 5,
  kRootId = 6,
  kIsFusion = 7,
};

// StackFrameIndexProto; ids inside it are 1-based positions.
enum FrameField : uint32_t { kFileNames = 1, kFunctionNames = 2, kFileLocations = 3, kStackFrames = 4 };

struct Location {
  int64_t file = 0, function = 0;
  int32_t line = 0, column = 0;
};

Location ReadLocation(std::string_view bytes, WireLosses& losses) {
  Location location;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) location.file = fields.Int();
    if (fields.number() == 2) location.function = fields.Int();
    if (fields.number() == 3) location.line = static_cast<int32_t>(fields.Int());
    if (fields.number() == 4) location.column = static_cast<int32_t>(fields.Int());
  }
  return location;
}

// The entry of a table with 1-based ids; the default for 0 and for ids outside.
template <typename T>
T At(const std::vector<T>& table, int64_t id) {
  return id > 0 && static_cast<size_t>(id) <= table.size() ? table[static_cast<size_t>(id - 1)] : T();
}

}  // namespace

// Counts by stepping over messages: cheaper than moving the table as it grows.
void ModuleReader::ReserveInstructions(std::string_view module_proto) {
  LossLog ignored;  // Read counts them
  WireLosses losses(ignored, "");
  size_t count = 0;
  Fields module_fields(module_proto, losses);
  while (module_fields.Next()) {
    if (module_fields.number() != kComputations || !module_fields.is_bytes()) continue;
    Fields computation(module_fields.Bytes(), losses);
    while (computation.Next()) count += computation.number() == kInstructions && !computation.Bytes().empty();
  }
  // Real instructions take some 200 bytes; a file of tiny ones gets no more memory in advance than they
  // would.
  count = std::min(count, module_proto.size() / 64);
  program_.instructions.reserve(count);
  counts_.reserve(count);
}

void ModuleReader::Read(std::string_view module_proto) {
  ReserveInstructions(module_proto);
  Fields fields(module_proto, losses_);
  while (fields.Next()) {
    switch (fields.number()) {
      case kModuleName:
        program_.name = fields.Bytes();
        break;
      case kEntryName:
        entry_name_ = fields.Bytes();
        break;
      case kComputations:
        ReadComputation(fields.Bytes());
        break;
      case kModuleId:
        program_.id = fields.Int();
        break;
      case kEntryId:
        entry_id_ = fields.Int();
        break;
      case kSchedule: {
        Fields schedule(fields.Bytes(), losses_);
        while (schedule.Next()) {
          if (schedule.number() == 1) ReadScheduleEntry(schedule.Bytes());
        }
        break;
      }
      case kResultSharding:
        program_.result_shardings = ShardingTexts(fields.Bytes(), losses_);
        break;
      case kParameterShardings:
        program_.parameter_shardings.push_back(ShardingText(fields.Bytes(), losses_));
        break;
      case kDeviceAssignment:
        ReadDeviceAssignment(fields.Bytes());
        break;
      case kStackFrameIndex:
        ReadFrames(fields.Bytes());
        break;
      default:
        break;
    }
  }
  Resolve();
}

void ModuleReader::ReadComputation(std::string_view bytes) {
  Computation computation;
  const ComputationIndex index(program_.computations.size());
  computation.begin = InstructionIndex(program_.instructions.size());
  int64_t root = 0;
  References references;
  Fields fields(bytes, losses_);
  while (fields.Next()) {
    switch (fields.number()) {
      case kComputationName:
        computation.name = program_.strings.Intern(fields.Bytes());
        break;
      case kInstructions: {
        if (program_.instructions.size() >= limits::kMaxInstructions) {
          losses_.Capped("instructions");
          break;
        }
        Instruction instruction = instructions_.Read(fields.Bytes(), references);
        if (!instruction.name.valid() && !instruction.opcode.valid()) {
          losses_.Mangled();
          break;
        }
        instruction.computation = index;
        program_.instructions.push_back(std::move(instruction));
        KeepReferences(references);
        break;
      }
      case kComputationId:
        computation.id = fields.Int();
        break;
      case kRootId:
        root = fields.Int();
        break;
      case kIsFusion:
        computation.fusion = fields.Int() != 0;
        break;
      default:
        break;
    }
  }
  computation.end = InstructionIndex(program_.instructions.size());
  computation_by_id_.try_emplace(computation.id, index);
  roots_.push_back(root);
  program_.computations.push_back(std::move(computation));
}

void ModuleReader::KeepReferences(const References& references) {
  for (const auto* ids : {&references.operands, &references.control_predecessors, &references.called}) {
    references_.insert(references_.end(), ids->begin(), ids->end());
  }
  counts_.push_back({static_cast<uint32_t>(references.operands.size()),
                     static_cast<uint32_t>(references.control_predecessors.size()),
                     static_cast<uint32_t>(references.called.size())});
}

void ModuleReader::ReadScheduleEntry(std::string_view bytes) {
  auto& [computation, ids] = schedules_.emplace_back();
  Fields fields(bytes, losses_);
  while (fields.Next()) {
    if (fields.number() == 1) computation = fields.Int();
    if (fields.number() != 2) continue;
    Fields sequence(fields.Bytes(), losses_);
    while (sequence.Next()) {
      if (sequence.number() == 1) sequence.AppendInts(ids);
    }
  }
}

void ModuleReader::ReadFrames(std::string_view bytes) {
  std::vector<StringId> files;
  std::vector<StringId> functions;
  std::vector<Location> locations;
  std::vector<std::pair<int64_t, int64_t>> frames;  // location, parent
  Fields fields(bytes, losses_);
  while (fields.Next()) {
    switch (fields.number()) {
      case kFileNames:
        files.push_back(program_.strings.Intern(fields.Bytes()));
        break;
      case kFunctionNames:
        functions.push_back(program_.strings.Intern(fields.Bytes()));
        break;
      case kFileLocations:
        locations.push_back(ReadLocation(fields.Bytes(), losses_));
        break;
      case kStackFrames: {
        auto& [location, parent] = frames.emplace_back();
        Fields frame(fields.Bytes(), losses_);
        while (frame.Next()) {
          if (frame.number() == 1) location = frame.Int();
          if (frame.number() == 2) parent = frame.Int();
        }
        break;
      }
      default:
        break;
    }
  }
  for (const auto& [location_id, parent] : frames) {
    const Location location = At(locations, location_id);
    Frame frame{.file = At(files, location.file),
                .function = At(functions, location.function),
                .line = location.line,
                .column = location.column,
                .parent = {}};
    // Callers come first in the table. A parent that does not could close a circle, and stacks would never
    // end.
    if (parent > 0 && static_cast<size_t>(parent) <= program_.frames.size()) {
      frame.parent = FrameId(static_cast<size_t>(parent - 1));
    } else if (parent != 0) {
      losses_.Unresolved("stack frames whose caller is missing");
    }
    program_.frames.push_back(frame);
  }
}

void ModuleReader::ReadDeviceAssignment(std::string_view bytes) {
  Fields fields(bytes, losses_);
  std::vector<std::vector<int64_t>> by_partition;  // device ids by replica
  while (fields.Next()) {
    if (fields.number() == 1) program_.replica_count = std::max<int64_t>(fields.Int(), 0);
    if (fields.number() == 2) program_.partition_count = std::max<int64_t>(fields.Int(), 0);
    if (fields.number() != 3) continue;
    Fields devices(fields.Bytes(), losses_);
    std::vector<int64_t>& replicas = by_partition.emplace_back();
    while (devices.Next()) {
      if (devices.number() == 1) devices.AppendInts(replicas);
    }
  }
  const auto partitions = static_cast<int64_t>(by_partition.size());
  const bool whole = partitions > 0 && partitions == program_.partition_count &&
                     std::ranges::all_of(by_partition, [&](const std::vector<int64_t>& replicas) {
                       return static_cast<int64_t>(replicas.size()) == program_.replica_count;
                     });
  if (!whole) return;
  for (size_t replica = 0; replica < by_partition[0].size(); ++replica) {
    for (const auto& replicas : by_partition) program_.device_ids.push_back(replicas[replica]);
  }
}

// Operands and schedules name instructions of their own computation. In some files ids are unique only there.
InstructionIndex ModuleReader::Find(int64_t id, const Computation& computation) const {
  const auto begin = by_id_.begin() + computation.begin.value;
  const auto end = by_id_.begin() + computation.end.value;
  const auto found = std::lower_bound(begin, end, std::pair(id, InstructionIndex(0)));
  return found != end && found->first == id ? found->second : InstructionIndex();
}

InstructionIndex ModuleReader::FindAnywhere(int64_t id) {
  if (everywhere_.empty()) {
    everywhere_ = by_id_;
    std::ranges::sort(everywhere_);
  }
  const auto found = std::ranges::lower_bound(everywhere_, std::pair(id, InstructionIndex(0)));
  return found != everywhere_.end() && found->first == id ? found->second : InstructionIndex();
}

void ModuleReader::ResolveInstruction(Instruction& instruction, const int64_t*& reference, size_t at) {
  const Computation& computation = program_.computations[instruction.computation.value];
  const auto resolve = [&](uint32_t count, std::vector<InstructionIndex>& out) {
    out.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      const InstructionIndex found = Find(*reference++, computation);
      if (found.valid()) {
        out.push_back(found);
      } else {
        // Operands are told apart by position, so nothing can be said of this instruction any more.
        instruction.cost.unknown_because = program_.strings.Intern("an operand is missing in the file");
        losses_.Unresolved("operands that are not in the computation");
      }
    }
  };
  resolve(counts_[at].operands, instruction.operands);
  resolve(counts_[at].control_predecessors, instruction.control_predecessors);
  instruction.called.reserve(counts_[at].called);
  for (uint32_t i = 0; i < counts_[at].called; ++i) {
    const auto found = computation_by_id_.find(*reference++);
    if (found != computation_by_id_.end()) {
      instruction.called.push_back(found->second);
    } else {
      losses_.Unresolved("called computations that are not in the program");
    }
  }
}

void ModuleReader::ResolveSource(Instruction& instruction) {
  if (!instruction.frame.valid()) return;
  if (instruction.frame.value >= program_.frames.size()) {
    instruction.frame = {};
    losses_.Unresolved("stack frames that are not in the table");
    return;
  }
  if (!program_.text(instruction.source_file).empty()) return;
  const Frame& frame = program_.frames[instruction.frame.value];
  instruction.source_file = frame.file;
  instruction.source_line = frame.line;
}

void ModuleReader::Resolve() {
  auto& instructions = program_.instructions;
  by_id_.reserve(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i)
    by_id_.emplace_back(instructions[i].id, InstructionIndex(i));
  for (const Computation& c : program_.computations) {
    const auto begin = by_id_.begin() + c.begin.value;
    const auto end = by_id_.begin() + c.end.value;
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  }

  const int64_t* reference = references_.data();
  for (size_t i = 0; i < instructions.size(); ++i) {
    ResolveInstruction(instructions[i], reference, i);
    ResolveSource(instructions[i]);
  }
  for (size_t i = 0; i < roots_.size(); ++i) {
    Computation& computation = program_.computations[i];
    computation.root = Find(roots_[i], computation);
    if (!computation.root.valid() && computation.begin != computation.end) {
      losses_.Unresolved("roots that are not in the computation");
      computation.root = InstructionIndex(computation.end.value - 1);
    }
  }
  for (const auto& [id, ids] : schedules_) {
    const auto found = computation_by_id_.find(id);
    if (found == computation_by_id_.end()) {
      losses_.Unresolved("schedules of computations that are not in the program");
      continue;
    }
    Computation& computation = program_.computations[found->second.value];
    computation.schedule.clear();
    computation.schedule.reserve(ids.size());
    for (const int64_t instruction_id : ids) {
      const InstructionIndex instruction = Find(instruction_id, computation);
      if (instruction.valid()) {
        computation.schedule.push_back(instruction);
      } else {
        losses_.Unresolved("scheduled instructions that are not in the computation");
      }
    }
  }
  if (const auto found = computation_by_id_.find(entry_id_); found != computation_by_id_.end()) {
    program_.entry = found->second;
  }
  for (size_t i = 0; i < program_.computations.size() && !program_.entry.valid(); ++i) {
    if (program_.text(program_.computations[i].name) == entry_name_) program_.entry = ComputationIndex(i);
  }
  program_.BuildIndex();
}

}  // namespace gait::hlo
