// What a collective is: its kind, how many bytes it moves, and the factors between message and bandwidth.
//
//   message               bytes of the operands; of a reduce-scatter, divided by the group's size n: NCCL
//                         counts the buffer of one rank
//   algorithm bandwidth   message * size factor / time
//   bus bandwidth         algorithm bandwidth * bus factor: what the links carry, to be held against their
//                         peak
//
//   kind                  size factor   bus factor
//   all-reduce            1             2 (n - 1) / n
//   all-gather            n             (n - 1) / n
//   reduce-scatter        n             (n - 1) / n
//   all-to-all            1             (n - 1) / n     (ragged ones too)
//   broadcast, permute, send, recv      1             1
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gait/trace/program.h"

namespace gait::analyze {

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kRaggedAllToAll,
  kCollectivePermute,
  kCollectiveBroadcast,
  kSend,
  kRecv,
  kSendRecv,  // a kernel that does both, whose name does not say which
  kOther,     // communication of an unknown kind
};
inline constexpr size_t kCollectiveKinds = 11;

std::string_view Name(CollectiveKind kind);  // "all-reduce"; "send/recv"; "other"

// Whether no device can end the collective before the last device has begun it: the ends are then at the same
// time on all devices.
bool EndsTogether(CollectiveKind kind);

double SizeFactor(CollectiveKind kind, int64_t group_size);
double BusFactor(CollectiveKind kind, int64_t group_size);

// The kind by the opcode; opcodes with "-start", "-done" and "-update" count too.
std::optional<CollectiveKind> KindOfOpcode(std::string_view opcode);
// The kind by the name of a communication kernel: "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)".
CollectiveKind KindOfKernel(std::string_view name);

// Bytes of the message; nullopt when a shape is dynamic or unknown, or the group's size is needed and
// unknown.
std::optional<int64_t> MessageBytes(const Program& program, const Instruction& instruction,
                                    CollectiveKind kind, int64_t group_size);

}  // namespace gait::analyze
