// ModuleReader: reads one HloModuleProto into a Program, without buffers and costs.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/read/hlo/instruction_reader.h"
#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// Call Read once, then FindAnywhere. Keeps views of the bytes while it lives.
class ModuleReader {
 public:
  ModuleReader(Program& program, WireLosses& losses)
      : program_(program), losses_(losses), instructions_(program, losses) {}

  void Read(std::string_view module_proto);

  // The instruction with that id anywhere in the program; invalid when there is none. O(log n), the first
  // time O(n log n).
  InstructionIndex FindAnywhere(int64_t id);

 private:
  // Ids of instructions with their indices, sorted within each computation. A computation has the same range
  // here as in the table of instructions.
  using IdTable = std::vector<std::pair<int64_t, InstructionIndex>>;

  InstructionIndex Find(int64_t id, const Computation& computation) const;
  void ReserveInstructions(std::string_view module_proto);
  void ReadComputation(std::string_view bytes);
  void KeepReferences(const References& references);
  void ReadScheduleEntry(std::string_view bytes);
  void ReadFrames(std::string_view bytes);
  void ReadDeviceAssignment(std::string_view bytes);
  void Resolve();
  void ResolveInstruction(Instruction& instruction, const int64_t*& reference, size_t at);
  void ResolveSource(Instruction& instruction);

  Program& program_;
  WireLosses& losses_;
  InstructionReader instructions_;
  int64_t entry_id_ = 0;
  std::string_view entry_name_;

  // The references of all instructions stand one after the other; Counts has their number by kind for one
  // instruction.
  struct Counts {
    uint32_t operands, control_predecessors, called;
  };
  std::vector<int64_t> references_;
  std::vector<Counts> counts_;
  std::vector<int64_t> roots_;                                       // id, by computation
  std::vector<std::pair<int64_t, std::vector<int64_t>>> schedules_;  // computation id, instruction ids
  IdTable by_id_;
  IdTable everywhere_;  // the same in one order; empty until it is needed
  std::unordered_map<int64_t, ComputationIndex> computation_by_id_;
};

}  // namespace gait::hlo
