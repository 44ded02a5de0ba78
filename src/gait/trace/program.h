// Program: one compiled HLO module of a capture, as tables. Immutable once read; a program owns its strings.
//
// Instructions of all computations stand in one table; a computation is a range of it. Shapes are interned: programs
// repeat few of them. Names and paths are ids of the program's own pool.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gait/base/ids.h"
#include "gait/trace/string_pool.h"

namespace gait {

using ProgramIndex = Id<struct ProgramTag>;
using ComputationIndex = Id<struct ComputationTag>;
using InstructionIndex = Id<struct InstructionTag>;  // within its program
using ShapeId = Id<struct ShapeTag>;                 // within its program
using FrameId = Id<struct FrameTag>;                 // within its program

struct InstructionRef {
  ProgramIndex program;
  InstructionIndex instruction;
  bool valid() const { return program.valid() && instruction.valid(); }
  friend auto operator<=>(const InstructionRef&, const InstructionRef&) = default;
};

// Element types, numbered as in xla_data.proto.
enum class ElementType : uint8_t {
  kInvalid = 0, kPred = 1, kS8 = 2, kS16 = 3, kS32 = 4, kS64 = 5, kU8 = 6, kU16 = 7, kU32 = 8, kU64 = 9, kF16 = 10,
  kF32 = 11, kF64 = 12, kTuple = 13, kOpaque = 14, kC64 = 15, kBf16 = 16, kToken = 17, kC128 = 18, kF8E5M2 = 19,
  kF8E4M3Fn = 20, kS4 = 21, kU4 = 22, kF8E4M3B11Fnuz = 23, kF8E5M2Fnuz = 24, kF8E4M3Fnuz = 25, kS2 = 26, kU2 = 27,
  kF8E4M3 = 28, kF8E3M4 = 29, kS1 = 30, kU1 = 31, kF4E2M1Fn = 32, kF8E8M0Fnu = 33, kBuffer = 34, kF6E3M2Fn = 35,
  kF6E2M3Fn = 36,
};
std::string_view Name(ElementType type);  // "bf16"
int BitWidth(ElementType type);           // 16; 0 for tuples, tokens and unknown types

struct Shape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> minor_to_major;  // the layout; empty when the file gives none
  std::vector<ShapeId> elements;        // of a tuple
  int memory_space = 0;                 // 0: device memory; 5: host

  friend bool operator==(const Shape&, const Shape&) = default;
};

// Cost of one execution. Unknown is nullopt with a reason, never 0.
struct Cost {
  std::optional<double> flops;
  std::optional<double> bytes_read;
  std::optional<double> bytes_written;
  StringId unknown_because;  // empty when all three are known
};

struct ReplicaGroups {
  std::vector<std::vector<int64_t>> groups;  // device or replica ids; empty: one group of all
  int64_t group_size = 0;                    // 0: unknown
};

struct Instruction {
  int64_t id = 0;  // of the file
  StringId name;   // "fusion.12", without the leading %
  StringId opcode;
  ShapeId shape;
  ComputationIndex computation;
  StringId op_name;  // scope path: "jit(train_step)/jvp(layer_0)/attention/dot_general"
  StringId op_type;
  FrameId frame;  // where in the source; see Program::frames
  StringId source_file;
  int32_t source_line = 0;
  StringId fusion_kind;         // "kLoop", "kOutput", ...; empty otherwise
  StringId custom_call_target;  // empty otherwise
  StringId backend_config;      // JSON text, as in the file
  int64_t channel_id = 0;
  std::vector<InstructionIndex> operands;
  std::vector<InstructionIndex> control_predecessors;
  std::vector<ComputationIndex> called;  // fused computations, loop bodies, conditions, reducers
  uint32_t dimension_numbers = Id<void>::kInvalid;  // into Program::dots or ::convolutions, by opcode
  uint32_t replica_groups = Id<void>::kInvalid;     // into Program::replica_groups
  uint32_t source_target_pairs = Id<void>::kInvalid;  // into Program::source_target_pairs
  Cost cost;
};

struct Computation {
  int64_t id = 0;
  StringId name;
  InstructionIndex begin;  // [begin, end) of Program::instructions, in the order of the file
  InstructionIndex end;
  InstructionIndex root;
  bool fusion = false;
  std::vector<InstructionIndex> schedule;  // the order of execution; empty when the file has none
};

struct DotDimensions {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};

struct ConvolutionDimensions {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0, output_batch = 0,
          output_feature = 0, feature_groups = 1, batch_groups = 1;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
};

// One frame of the Python stack that made an instruction.
struct Frame {
  StringId file;
  StringId function;
  int32_t line = 0;
  int32_t column = 0;
  FrameId parent;  // the caller
};

// Buffer assignment: what the program keeps in device memory, and when.
struct LogicalBuffer {
  int64_t id = 0;
  int64_t size = 0;
  InstructionIndex defined_by;
  std::vector<int64_t> shape_index;
  int64_t color = 0;  // memory space
};

struct AssignedBuffer {
  int64_t logical_buffer = 0;  // id
  int64_t offset = 0;
  int64_t size = 0;
};

struct BufferAllocation {
  int64_t index = 0;
  int64_t size = 0;
  bool thread_local_buffer = false;
  bool entry_parameter = false;
  bool constant = false;
  bool live_out = false;
  int64_t parameter_number = 0;
  int64_t color = 0;
  std::vector<AssignedBuffer> assigned;
};

struct HeapEvent {
  enum class Kind : uint8_t { kAllocate = 0, kFree = 1, kShareWith = 2 };
  Kind kind = Kind::kAllocate;
  int64_t buffer = 0;  // logical buffer id
  int64_t share_with = 0;
  InstructionIndex instruction;
};

struct HeapTrace {
  bool whole_module = false;
  int64_t allocation = 0;
  std::vector<HeapEvent> events;
};

struct BufferAssignment {
  std::vector<LogicalBuffer> buffers;
  std::vector<BufferAllocation> allocations;
  std::vector<HeapTrace> heap_traces;
};

class Program {
 public:
  int64_t id = 0;    // program_id of the events
  std::string name;  // "jit_train_step"
  StringPool strings;
  std::vector<Shape> shapes;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  ComputationIndex entry;
  std::vector<Frame> frames;
  std::vector<DotDimensions> dots;
  std::vector<ConvolutionDimensions> convolutions;
  std::vector<ReplicaGroups> replica_groups;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> source_target_pairs;
  int64_t replica_count = 0;  // of the device assignment; 0: unknown
  int64_t partition_count = 0;
  std::optional<BufferAssignment> buffers;

  std::string_view text(StringId id_of_string) const { return strings[id_of_string]; }
  const Instruction& operator[](InstructionIndex i) const { return instructions[i.value]; }
  const Shape& shape(ShapeId s) const { return shapes[s.value]; }

  // The instruction of that name, in the entry computation first where two computations share one. O(1).
  InstructionIndex Find(std::string_view instruction_name) const;

  // Bytes of a shape, tuples summed; nullopt when a dimension is dynamic or absurd, or the type is unknown.
  std::optional<int64_t> ByteSize(ShapeId s) const;
  std::string ShapeText(ShapeId s) const;  // "bf16[16,512,768]{2,1,0}"

  // Fills the index behind Find; the reader calls it once the instructions are in place.
  void BuildIndex();

 private:
  std::unordered_map<uint32_t, InstructionIndex> by_name_;  // by StringId
};

}  // namespace gait
