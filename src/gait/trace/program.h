// Program: one compiled HLO module of a capture, as tables. Immutable once read; a program owns its strings.
//
// Instructions of all computations stand in one table; a computation is a range of it. Shapes are interned:
// programs repeat few of them. Names and paths are ids of the program's own pool.
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
  kInvalid = 0,
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kTuple = 13,
  kOpaque = 14,
  kC64 = 15,
  kBf16 = 16,
  kToken = 17,
  kC128 = 18,
  kF8E5M2 = 19,
  kF8E4M3Fn = 20,
  kS4 = 21,
  kU4 = 22,
  kF8E4M3B11Fnuz = 23,
  kF8E5M2Fnuz = 24,
  kF8E4M3Fnuz = 25,
  kS2 = 26,
  kU2 = 27,
  kF8E4M3 = 28,
  kF8E3M4 = 29,
  kS1 = 30,
  kU1 = 31,
  kF4E2M1Fn = 32,
  kF8E8M0Fnu = 33,
  kBuffer = 34,
  kF6E3M2Fn = 35,
  kF6E2M3Fn = 36,
};
std::string_view Name(ElementType type);  // "bf16"
int BitWidth(ElementType type);           // 16; 8 for pred, as stored; 0 for tuples, tokens and unknown types

struct Shape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dimensions;          // where dynamic: the upper bound
  uint64_t dynamic = 0;                     // bit i: dimension i is dynamic
  std::vector<int64_t> minor_to_major;      // the layout; empty when the file gives none
  std::vector<std::vector<int64_t>> tiles;  // of a TPU layout: {{8, 128}, {2, 1}}
  std::vector<ShapeId> elements;            // of a tuple; always smaller ids than the tuple's own
  int memory_space = 0;                     // 0: device memory; 5: host
  int element_bits = 0;                     // packed narrow types; 0: whole bytes

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
  StringId comparison_direction;  // of a compare: "LT", "EQ", ...; empty otherwise
  StringId fusion_kind;           // "kLoop", "kOutput", ...; empty otherwise
  StringId custom_call_target;    // empty otherwise
  StringId backend_config;        // JSON text, as in the file
  int64_t channel_id = 0;
  int64_t number = 0;  // of a parameter; which element a get-tuple-element takes
  StringId literal;    // value of a scalar constant as text; empty otherwise
  StringId sharding;   // "devices=[2,1]<=[2]"; empty: every device has all of it
  // A hash of the computation, with constants of any size, but without names, numbers, operands, called
  // computations, source, sharding and backend_config. For comparisons within a process; not to be stored.
  uint64_t fingerprint = 0;
  StringId arrangement;  // how a gather, a scatter or a pad lays its operands out, as program text says it
  std::vector<int64_t>
      dimensions;  // of reduce, broadcast, transpose, concatenate, sort, iota; lengths of an fft
  std::vector<InstructionIndex> operands;
  std::vector<InstructionIndex> control_predecessors;
  std::vector<ComputationIndex> called;               // fused computations, loop bodies, conditions, reducers
  uint32_t dot = Id<void>::kInvalid;                  // into Program::dots
  uint32_t convolution = Id<void>::kInvalid;          // into Program::convolutions; cuDNN custom calls too
  uint32_t replica_groups = Id<void>::kInvalid;       // into Program::replica_groups
  uint32_t source_target_pairs = Id<void>::kInvalid;  // into Program::source_target_pairs
  uint32_t window = Id<void>::kInvalid;               // into Program::windows
  uint32_t slices = Id<void>::kInvalid;               // into Program::slices
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
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0,
          output_batch = 0, output_feature = 0, feature_groups = 1, batch_groups = 1;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
};

// The window of a convolution or a reduce-window in one (spatial) dimension.
struct WindowDimension {
  int64_t size = 1, stride = 1, padding_low = 0, padding_high = 0, window_dilation = 1, base_dilation = 1;
  bool reversed = false;
};

// The range of a slice in one dimension: [start, limit) in steps of stride.
struct SliceRange {
  int64_t start = 0, limit = 0, stride = 1;
};

// One frame of the Python stack that made an instruction.
struct Frame {
  StringId file;
  StringId function;
  int32_t line = 0;
  int32_t column = 0;
  FrameId parent;  // the caller
};

// Buffer assignment: the program's buffers in device memory, and when they are live.
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
  uint64_t id = 0;   // program_id of the events; on TPU a hash that takes all 64 bits
  std::string name;  // "jit_train_step"
  StringPool strings;
  std::vector<Shape> shapes;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  ComputationIndex entry;
  std::vector<Frame> frames;
  std::vector<DotDimensions> dots;
  std::vector<ConvolutionDimensions> convolutions;
  std::vector<std::vector<WindowDimension>> windows;
  std::vector<std::vector<SliceRange>> slices;
  std::vector<ReplicaGroups> replica_groups;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> source_target_pairs;
  int64_t replica_count = 0;  // of the device assignment; 0: unknown
  int64_t partition_count = 0;
  // The device assignment: the runtime's device id of replica r and partition p is at r * partition_count +
  // p, the number that replica groups use. Empty when the file does not say.
  std::vector<int64_t> device_ids;
  // How parameters and results lie over the partitions, by parameter number and by element of the result, in
  // the words of Instruction::sharding. Empty when the file does not say. The shapes in the entry are the
  // shapes of one partition.
  std::vector<std::string> parameter_shardings;
  std::vector<std::string> result_shardings;
  std::optional<BufferAssignment> buffers;

  std::string_view text(StringId id_of_string) const { return strings[id_of_string]; }
  // The sharding of a parameter, from either place in the file.
  std::string_view ShardingOf(const Instruction& parameter) const {
    const auto number = static_cast<size_t>(parameter.number);
    const bool listed = text(parameter.sharding).empty() && number < parameter_shardings.size();
    return listed ? parameter_shardings[number] : text(parameter.sharding);
  }
  const Instruction& operator[](InstructionIndex i) const { return instructions[i.value]; }
  const Shape& shape(ShapeId s) const { return shapes[s.value]; }

  // The instruction of that name. Where two computations have one, the entry computation's is taken. O(1).
  InstructionIndex Find(std::string_view instruction_name) const;

  // Computations whose instructions run by themselves: the entry, loop bodies and conditions, branches,
  // called computations; not computations that are fused into an instruction or applied by one.
  std::vector<ComputationIndex> RunningComputations() const;

  // The number of elements of an array; nullopt for tuples, and when a dimension is dynamic or absurd.
  std::optional<int64_t> ElementCount(ShapeId s) const;

  // The bytes of a shape, of a tuple the sum; nullopt when a dimension is dynamic or absurd, or the type is
  // unknown. The padding of tiled layouts is not counted. O(1) after BuildIndex.
  std::optional<int64_t> ByteSize(ShapeId s) const;
  std::string ShapeText(ShapeId s) const;           // "bf16[16,512,768]{2,1,0}"
  std::string ShapeWithoutLayout(ShapeId s) const;  // "bf16[16,512,768]"

  // Fills the indices behind Find and ByteSize. The reader calls this once instructions and shapes are in
  // place.
  void BuildIndex();

 private:
  std::optional<int64_t> ComputeByteSize(const Shape& s) const;

  std::unordered_map<uint32_t, InstructionIndex> by_name_;  // by StringId
  std::vector<std::optional<int64_t>> byte_sizes_;          // by ShapeId
};

}  // namespace gait
