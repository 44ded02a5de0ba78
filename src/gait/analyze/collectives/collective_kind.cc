#include "gait/analyze/collectives/collective_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

struct Spelling {
  std::string_view word;
  CollectiveKind kind;
};

constexpr std::array<Spelling, 9> kOpcodes = {{{"all-reduce", CollectiveKind::kAllReduce},
                                               {"all-gather", CollectiveKind::kAllGather},
                                               {"reduce-scatter", CollectiveKind::kReduceScatter},
                                               {"all-to-all", CollectiveKind::kAllToAll},
                                               {"ragged-all-to-all", CollectiveKind::kRaggedAllToAll},
                                               {"collective-permute", CollectiveKind::kCollectivePermute},
                                               {"collective-broadcast", CollectiveKind::kCollectiveBroadcast},
                                               {"send", CollectiveKind::kSend},
                                               {"recv", CollectiveKind::kRecv}}};

// Parts of kernel names in lower case without underscores, the first that occurs decides.
constexpr std::array<Spelling, 9> kKernelWords = {{{"allreduce", CollectiveKind::kAllReduce},
                                                   {"allgather", CollectiveKind::kAllGather},
                                                   {"reducescatter", CollectiveKind::kReduceScatter},
                                                   {"raggedalltoall", CollectiveKind::kRaggedAllToAll},
                                                   {"alltoall", CollectiveKind::kAllToAll},
                                                   {"sendrecv", CollectiveKind::kSendRecv},
                                                   {"broadcast", CollectiveKind::kCollectiveBroadcast},
                                                   {"send", CollectiveKind::kSend},
                                                   {"recv", CollectiveKind::kRecv}}};

}  // namespace

std::string_view Name(CollectiveKind kind) {
  if (kind == CollectiveKind::kSendRecv) return "send/recv";
  const auto found = std::ranges::find(kOpcodes, kind, &Spelling::kind);
  return found != kOpcodes.end() ? found->word : "other";
}

bool EndsTogether(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
      return true;
    default:
      return false;
  }
}

double SizeFactor(CollectiveKind kind, int64_t group_size) {
  const bool whole = kind == CollectiveKind::kAllGather || kind == CollectiveKind::kReduceScatter;
  return whole ? static_cast<double>(group_size) : 1;
}

double BusFactor(CollectiveKind kind, int64_t group_size) {
  const auto n = static_cast<double>(group_size);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kRaggedAllToAll:
      return (n - 1) / n;
    default:
      return 1;
  }
}

std::optional<CollectiveKind> KindOfOpcode(std::string_view opcode) {
  const auto found = std::ranges::find(kOpcodes, WithoutPhase(opcode), &Spelling::word);
  return found != kOpcodes.end() ? std::optional(found->kind) : std::nullopt;
}

CollectiveKind KindOfKernel(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '(') break;  // the arguments of a demangled name
    if (c != '_' && c != '-') {
      plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  for (const Spelling& spelling : kKernelWords) {
    if (plain.find(spelling.word) != std::string::npos) return spelling.kind;
  }
  return CollectiveKind::kOther;
}

std::optional<int64_t> MessageBytes(const Program& program, const Instruction& instruction,
                                    CollectiveKind kind, int64_t group_size) {
  if (kind == CollectiveKind::kRecv) {
    const Shape& shape = program.shape(instruction.shape);  // (data, context, token)
    return program.ByteSize(shape.elements.empty() ? instruction.shape : shape.elements[0]);
  }
  // Further operands are tokens, offsets, sizes and buffers to write into.
  const bool first_only = kind == CollectiveKind::kSend || kind == CollectiveKind::kRaggedAllToAll ||
                          kind == CollectiveKind::kCollectivePermute;
  int64_t sum = 0;
  for (const InstructionIndex operand : instruction.operands) {
    if (!operand.valid()) return std::nullopt;
    const auto bytes = program.ByteSize(program[operand].shape);
    if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
    if (first_only) break;
  }
  if (instruction.operands.empty()) return std::nullopt;
  if (kind != CollectiveKind::kReduceScatter) return sum;
  return group_size > 0 ? std::optional(sum / group_size) : std::nullopt;
}

}  // namespace gait::analyze
