// Category: what an operation does, in words a person knows. The opcode and the custom-call target decide;
// for a fusion, the most telling instruction inside it (a dot before a scatter before a reduction before
// plain arithmetic); for work that belongs to no program, the kernel's name.
#pragma once

#include <cstdint>
#include <string_view>

#include "gait/trace/program.h"

namespace gait::analyze {

enum class Category : uint8_t {
  kMatmul,
  kConvolution,
  kAttention,
  kLinearAlgebra,  // factorisations and solves
  kFft,
  kSort,
  kGatherScatter,
  kSoftmax,        // a reduction with exponentials
  kNormalisation,  // a reduction with a reciprocal square root
  kReduction,
  kRandom,
  kElementwise,
  kConversion,  // nothing but changes of type
  kLayout,      // moves data within the device: copies, transposes, slices, concatenations
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kCollectivePermute,
  kCollectiveBroadcast,
  kSendReceive,
  kCollective,  // of a kind that the name does not tell
  kCopyToDevice,
  kCopyToHost,
  kCopyOnDevice,
  kCopyBetweenDevices,
  kCopy,  // between memories of the device, or nothing tells
  kMemset,
  kControlFlow,  // loops, branches and calls themselves, apart from what runs inside them
  kHostCallback,
  kCustomCall,
  kOther,
  kUnattributed,
  kOtherPrograms,  // what ran beside a selected program, in one
};
std::string_view Name(Category category);  // "matmul", "all-reduce", "copy to device", ...

Category CategoryOf(const Program& program, InstructionIndex instruction);
// The category of an event that belongs to no instruction, by the event's name or by the name of the
// operation that it names; kUnattributed where neither tells. work_class.h uses the same table.
Category CategoryOfKernel(std::string_view name);

bool IsCopyCategory(Category category);  // between memories, or a fill of one
bool IsCollectiveCategory(Category category);

}  // namespace gait::analyze
