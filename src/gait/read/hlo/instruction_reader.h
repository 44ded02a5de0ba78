// InstructionReader: reads HloInstructionProto messages into instructions of one program.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/read/hlo/replica_groups.h"
#include "gait/read/hlo/shape_reader.h"
#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// The ids that an instruction refers to, as in the file. They are looked up when everything is read, because
// a computation may call a later one.
struct References {
  std::vector<int64_t> operands;
  std::vector<int64_t> control_predecessors;
  std::vector<int64_t> called;
};

// Appends to the tables of the given program. Keeps views of the bytes, which must outlive the reader.
class InstructionReader {
 public:
  InstructionReader(Program& program, WireLosses& losses);

  // The instruction without operands, control predecessors and called computations: their ids are put into
  // `references`, which is cleared first. Instruction::frame is the number in the file less one, and not yet
  // checked.
  Instruction Read(std::string_view instruction_proto, References& references);

 private:
  // Parts of a message whose meaning depends on fields that may come later.
  struct Late {
    std::string_view literal;
    int64_t feature_groups = 1;
    int64_t batch_groups = 1;
    ReplicaGroups old_groups;
    std::vector<std::pair<int64_t, int64_t>> pairs;
    std::vector<SliceRange> slices;
    std::string arrangement;
    std::vector<int64_t> slice_sizes;  // of a gather or a dynamic slice
  };

  bool ReadReference(const Fields& field, Instruction& instruction, References& references) const;
  bool ReadDimensions(const Fields& field, Instruction& instruction, Late& late);
  bool ReadCollective(const Fields& field, Instruction& instruction, Late& late);
  void ReadMetadata(std::string_view bytes, Instruction& instruction);
  void Finish(Instruction& instruction, Late& late);
  uint32_t Groups(const Fields& field);

  Program& program_;
  WireLosses& losses_;
  ShapeReader shapes_;
  GroupBudget group_budget_;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t>
      groups_by_bytes_;  // collectives repeat few groups
};

}  // namespace gait::hlo
