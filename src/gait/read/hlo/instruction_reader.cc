#include "gait/read/hlo/instruction_reader.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/base/limits.h"
#include "gait/read/hlo/dimensions.h"
#include "gait/read/hlo/literal.h"
#include "gait/read/hlo/sharding.h"

namespace gait::hlo {
namespace {

// hlo.proto, HloInstructionProto.
enum InstructionField : uint32_t {
  kName = 1,
  kOpcode = 2,
  kShape = 3,
  kMetadata = 7,
  kLiteral = 8,
  kParameterNumber = 9,
  kFusionKind = 11,
  kTupleIndex = 13,
  kDimensions = 14,
  kWindow = 15,
  kConvolutionDimensions = 16,
  kSliceDimensions = 17,
  kDynamicSliceSizes = 20,
  kPadding = 21,
  kChannelId = 26,
  kCustomCallTarget = 28,
  kDotDimensions = 30,
  kFftLength = 32,
  kGatherDimensions = 33,
  kGatherSliceSizes = 34,
  kId = 35,
  kOperandIds = 36,
  kControlPredecessorIds = 37,
  kCalledComputationIds = 38,
  kSharding = 40,
  kBackendConfig = 43,
  kScatterDimensions = 48,
  kReplicaGroups = 49,
  kFeatureGroupCount = 50,
  kSourceTargetPairs = 52,
  kBatchGroupCount = 58,
  kComparisonDirection = 63,
  kFrontendAttributes = 68,
  kTopK = 81,
  kStatistics = 82,
  kCollectiveDeviceList = 87,
  kOriginalValue = 88,
  kRaggedDotDimensions = 90,
  kIotaCollectiveDeviceList = 92,
  kMeshAxesReplicaGroups = 93,
};

// xla_data.proto, OpMetadata.
enum MetadataField : uint32_t {
  kOpType = 1,
  kOpName = 2,
  kSourceFile = 3,
  kSourceLine = 4,
  kStackFrameId = 15
};

std::pair<int64_t, int64_t> ReadPair(std::string_view bytes, WireLosses& losses) {
  std::pair<int64_t, int64_t> pair;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) pair.first = fields.Int();
    if (fields.number() == 2) pair.second = fields.Int();
  }
  return pair;
}

// Whether a field says what the instruction computes, rather than what it is called, which number it has,
// where it comes from or how the compiler does it. Operands, called computations, the sharding and the
// backend's configuration are kept as they are.
bool IsMeaning(uint32_t field) {
  switch (field) {
    case kName:
    case kMetadata:
    case kChannelId:
    case kId:
    case kOperandIds:
    case kControlPredecessorIds:
    case kCalledComputationIds:
    case kSharding:
    case kBackendConfig:
    case kFrontendAttributes:
    case kStatistics:
    case kOriginalValue:
      return false;
    default:
      return true;
  }
}

void AddToFingerprint(const Fields& field, uint64_t& fingerprint) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  const uint64_t value =
      field.is_bytes() ? std::hash<std::string_view>()(field.Bytes()) : static_cast<uint64_t>(field.Int());
  fingerprint = (fingerprint ^ field.number()) * kOdd;
  fingerprint = (fingerprint ^ fingerprint >> 32 ^ value) * kOdd;
}

// Appends to a table of the program and gives the position.
template <typename T>
uint32_t Append(std::vector<T>& table, T value) {
  table.push_back(std::move(value));
  return static_cast<uint32_t>(table.size() - 1);
}

}  // namespace

InstructionReader::InstructionReader(Program& program, WireLosses& losses)
    : program_(program), losses_(losses), shapes_(program, losses), group_budget_{limits::kMinGroupMembers} {}

Instruction InstructionReader::Read(std::string_view instruction_proto, References& references) {
  references.operands.clear();
  references.control_predecessors.clear();
  references.called.clear();
  const auto bytes = static_cast<int64_t>(instruction_proto.size());
  group_budget_.ids_left =
      std::min(group_budget_.ids_left + bytes * limits::kGroupMembersPerByte, limits::kMaxGroupMembers);
  Instruction instruction;
  Late late;
  Fields fields(instruction_proto, losses_);
  while (fields.Next()) {
    if (IsMeaning(fields.number())) AddToFingerprint(fields, instruction.fingerprint);
    switch (fields.number()) {
      case kName:
        instruction.name = program_.strings.Intern(fields.Bytes());
        break;
      case kOpcode:
        instruction.opcode = program_.strings.Intern(fields.Bytes());
        break;
      case kShape:
        instruction.shape = shapes_.Read(fields.Bytes());
        break;
      case kMetadata:
        ReadMetadata(fields.Bytes(), instruction);
        break;
      case kLiteral:
        late.literal = fields.Bytes();
        break;
      case kParameterNumber:
      case kTupleIndex:
        instruction.number = fields.Int();
        break;
      case kFusionKind:
        instruction.fusion_kind = program_.strings.Intern(fields.Bytes());
        break;
      case kComparisonDirection:
        instruction.comparison_direction = program_.strings.Intern(fields.Bytes());
        break;
      case kCustomCallTarget:
        instruction.custom_call_target = program_.strings.Intern(fields.Bytes());
        break;
      case kSharding:
        instruction.sharding = program_.strings.Intern(ShardingText(fields.Bytes(), losses_));
        break;
      case kBackendConfig:
        instruction.backend_config = program_.strings.Intern(fields.Bytes());
        break;
      default:
        ReadReference(fields, instruction, references) || ReadDimensions(fields, instruction, late) ||
            ReadCollective(fields, instruction, late);
    }
  }
  Finish(instruction, late);
  return instruction;
}

bool InstructionReader::ReadReference(const Fields& field, Instruction& instruction,
                                      References& references) const {
  switch (field.number()) {
    case kId:
      instruction.id = field.Int();
      return true;
    case kOperandIds:
      field.AppendInts(references.operands);
      return true;
    case kControlPredecessorIds:
      field.AppendInts(references.control_predecessors);
      return true;
    case kCalledComputationIds:
      field.AppendInts(references.called);
      return true;
    default:
      return false;
  }
}

bool InstructionReader::ReadDimensions(const Fields& field, Instruction& instruction, Late& late) {
  switch (field.number()) {
    case kDimensions:
    case kFftLength:
      field.AppendInts(instruction.dimensions);
      return true;
    case kWindow:
      instruction.window = Append(program_.windows, ReadWindow(field.Bytes(), losses_));
      return true;
    case kConvolutionDimensions:
      instruction.convolution = Append(program_.convolutions, ReadConvolution(field.Bytes(), losses_));
      return true;
    case kSliceDimensions:
      late.slices.push_back(ReadSlice(field.Bytes(), losses_));
      return true;
    case kDotDimensions:
      instruction.dot = Append(program_.dots, ReadDot(field.Bytes(), losses_));
      return true;
    case kRaggedDotDimensions:
      instruction.dot = Append(program_.dots, ReadRaggedDot(field.Bytes(), losses_));
      return true;
    case kDynamicSliceSizes:
    case kGatherSliceSizes:
      field.AppendInts(late.slice_sizes);
      return true;
    case kPadding:
      late.arrangement = PaddingText(field.Bytes(), losses_);
      return true;
    case kGatherDimensions:
      late.arrangement = GatherText(field.Bytes(), losses_);
      return true;
    case kScatterDimensions:
      late.arrangement = ScatterText(field.Bytes(), losses_);
      return true;
    case kTopK:
      late.arrangement = fmt::format("k={}", field.Int());
      return true;
    case kFeatureGroupCount:
      late.feature_groups = field.Int();
      return true;
    case kBatchGroupCount:
      late.batch_groups = field.Int();
      return true;
    default:
      return false;
  }
}

bool InstructionReader::ReadCollective(const Fields& field, Instruction& instruction, Late& late) {
  switch (field.number()) {
    case kChannelId:
      instruction.channel_id = field.Int();
      return true;
    case kReplicaGroups:
      AppendReplicaGroup(field.Bytes(), late.old_groups, group_budget_, losses_);
      return true;
    case kSourceTargetPairs:
      late.pairs.push_back(ReadPair(field.Bytes(), losses_));
      return true;
    case kCollectiveDeviceList:
    case kIotaCollectiveDeviceList:
    case kMeshAxesReplicaGroups:
      instruction.replica_groups = Groups(field);
      return true;
    default:
      return false;
  }
}

uint32_t InstructionReader::Groups(const Fields& field) {
  const auto [known, added] = groups_by_bytes_.try_emplace({field.number(), field.Bytes()});
  if (added) {
    const auto read = field.number() == kCollectiveDeviceList       ? ReadDeviceList
                      : field.number() == kIotaCollectiveDeviceList ? ReadIotaList
                                                                    : ReadMeshAxes;
    known->second = Append(program_.replica_groups, read(field.Bytes(), group_budget_, losses_));
  }
  return known->second;
}

void InstructionReader::ReadMetadata(std::string_view bytes, Instruction& instruction) {
  Fields fields(bytes, losses_);
  while (fields.Next()) {
    switch (fields.number()) {
      case kOpType:
        instruction.op_type = program_.strings.Intern(fields.Bytes());
        break;
      case kOpName:
        instruction.op_name = program_.strings.Intern(fields.Bytes());
        break;
      case kSourceFile:
        instruction.source_file = program_.strings.Intern(fields.Bytes());
        break;
      case kSourceLine:
        instruction.source_line = static_cast<int32_t>(fields.Int());
        break;
      case kStackFrameId: {
        const int64_t id = fields.Int();  // 1-based
        if (id > 0 && id < Id<void>::kInvalid) instruction.frame = FrameId(static_cast<size_t>(id - 1));
        break;
      }
      default:
        break;
    }
  }
}

void InstructionReader::Finish(Instruction& instruction, Late& late) {
  if (!late.slice_sizes.empty()) {
    const std::string_view name = late.arrangement.empty() ? "dynamic_slice_sizes" : ", slice_sizes";
    late.arrangement += fmt::format("{}={{{}}}", name, fmt::join(late.slice_sizes, ","));
  }
  if (!late.arrangement.empty()) instruction.arrangement = program_.strings.Intern(late.arrangement);
  if (!late.slices.empty()) instruction.slices = Append(program_.slices, std::move(late.slices));
  if (!late.pairs.empty()) {
    instruction.source_target_pairs = Append(program_.source_target_pairs, std::move(late.pairs));
  }
  const bool old_groups = !late.old_groups.groups.empty() || late.old_groups.group_size > 0;
  if (old_groups && instruction.replica_groups == Id<void>::kInvalid) {
    instruction.replica_groups = Append(program_.replica_groups, std::move(late.old_groups));
  }
  if (instruction.convolution < program_.convolutions.size()) {
    ConvolutionDimensions& convolution = program_.convolutions[instruction.convolution];
    convolution.feature_groups = std::max<int64_t>(late.feature_groups, 1);
    convolution.batch_groups = std::max<int64_t>(late.batch_groups, 1);
  }
  if (!instruction.shape.valid()) instruction.shape = shapes_.Read({});  // every instruction has one
  if (!late.literal.empty()) {
    const std::string text = ScalarText(late.literal, program_.shape(instruction.shape), losses_);
    instruction.literal = program_.strings.Intern(text);
  }
}

}  // namespace gait::hlo
