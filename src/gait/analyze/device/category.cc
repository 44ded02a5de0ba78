#include "gait/analyze/device/category.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "gait/analyze/device/copied_memories.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

constexpr int kDeepest = 8;               // calls inside calls
constexpr size_t kMostLookedAt = 50'000;  // instructions inside one

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::string InSmallLetters(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool HasOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  const std::string lower = InSmallLetters(text);
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// By opcode alone; kOther when that does not tell, kElementwise for arithmetic.
Category OfOpcode(std::string_view full) {
  const std::string_view opcode = WithoutPhase(full);
  using enum Category;
  static const std::unordered_map<std::string_view, Category> kKnown = {
      {"dot", kMatmul},
      {"ragged-dot", kMatmul},
      {"scaled-dot", kMatmul},
      {"convolution", kConvolution},
      {"all-reduce", kAllReduce},
      {"all-gather", kAllGather},
      {"reduce-scatter", kReduceScatter},
      {"all-to-all", kAllToAll},
      {"ragged-all-to-all", kAllToAll},
      {"collective-permute", kCollectivePermute},
      {"collective-broadcast", kCollectiveBroadcast},
      {"sort", kSort},
      {"topk", kSort},
      {"fft", kFft},
      {"convert", kConversion},
      {"send", kSendReceive},
      {"recv", kSendReceive},
      {"infeed", kCopyToDevice},
      {"outfeed", kCopyToHost},
      {"gather", kGatherScatter},
      {"scatter", kGatherScatter},
      {"cholesky", kLinearAlgebra},
      {"triangular-solve", kLinearAlgebra},
      {"reduce", kReduction},
      {"reduce-window", kReduction},
      {"select-and-scatter", kReduction},
      {"rng", kRandom},
      {"rng-bit-generator", kRandom},
      {"rng-get-and-update-state", kRandom},
      {"while", kControlFlow},
      {"conditional", kControlFlow},
      {"call", kControlFlow},
      {"async", kControlFlow},
      {"copy", kLayout},
      {"transpose", kLayout},
      {"reshape", kLayout},
      {"bitcast", kLayout},
      {"slice", kLayout},
      {"dynamic-slice", kLayout},
      {"concatenate", kLayout},
      {"pad", kLayout},
      {"dynamic-update-slice", kLayout},
      {"broadcast", kLayout},
      {"reverse", kLayout},
      {"iota", kLayout},
      {"constant", kLayout},
      {"parameter", kOther},
      {"tuple", kOther},
      {"get-tuple-element", kOther},
      {"after-all", kOther},
      {"custom-call", kOther},
      {"fusion", kOther},
      {"opt-barrier", kOther},
      {"partition-id", kOther},
      {"replica-id", kOther},
      {"get-dimension-size", kOther},
      {"domain", kOther},
  };
  const auto found = kKnown.find(opcode);
  return found != kKnown.end() ? found->second : kElementwise;
}

Category OfTarget(std::string_view target, std::string_view op_name) {
  if (HasOneOf(target, {"fmha", "attention", "flash", "$mha"})) return Category::kAttention;
  if (HasOneOf(target, {"gemm", "matmul", "cublas", "hipblas", "scaled_dot"})) return Category::kMatmul;
  if (HasOneOf(target, {"conv"}) && !HasOneOf(target, {"convert"})) return Category::kConvolution;
  if (HasOneOf(target, {"$norm", "layernorm", "layer_norm", "rmsnorm", "rms_norm", "batchnorm"})) {
    return Category::kNormalisation;
  }
  if (HasOneOf(target, {"softmax"})) return Category::kSoftmax;
  if (HasOneOf(target, {"topk", "sort"})) return Category::kSort;
  if (HasOneOf(target, {"threefry", "rng", "random"})) return Category::kRandom;
  if (HasOneOf(target, {"callback"})) return Category::kHostCallback;
  if (HasOneOf(target, {"cusolver", "hipsolver", "rocsolver", "lapack", "trsm", "cholesky"})) {
    return Category::kLinearAlgebra;
  }
  if (HasOneOf(target, {"fft"})) return Category::kFft;
  if (HasOneOf(target, {"all_reduce", "allreduce"})) return Category::kAllReduce;
  if (HasOneOf(target, {"sendrecv", "collective"})) return Category::kCollective;
  if (HasOneOf(target, {"movetohost"})) return Category::kCopyToHost;
  if (HasOneOf(target, {"movetodevice"})) return Category::kCopyToDevice;
  // A kernel that somebody wrote: its own name is in the path.
  if (HasOneOf(op_name, {"attention", "flash", "splash", "mha"})) return Category::kAttention;
  return Category::kCustomCall;
}

// Parts of kernel names in small letters; the first that occurs decides.
struct KernelWord {
  std::string_view word;
  Category category;
};
// Libraries for communication, as they are called in captures of 2022 to 2026, and XLA's own kernels for it.
constexpr std::array<std::string_view, 7> kCommunicationWords = {"nccl",      "rccl",      "nvshmem", "msccl",
                                                                 "allreduce", "allgather", "alltoall"};
// XLA names an instruction after its opcode, and a kernel after its instruction. Elsewhere than in front
// these may be something else: small_reduce.
constexpr std::array<std::string_view, 5> kCommunicationPrefixes = {"all_reduce", "all_gather", "all_to_all",
                                                                    "collective_permute", "reduce_scatter"};
constexpr std::array<KernelWord, 11> kCollectiveWords = {
    {{"allreduce", Category::kAllReduce},
     {"all_reduce", Category::kAllReduce},
     {"allgather", Category::kAllGather},
     {"all_gather", Category::kAllGather},
     {"reducescatter", Category::kReduceScatter},
     {"reduce_scatter", Category::kReduceScatter},
     {"alltoall", Category::kAllToAll},
     {"all_to_all", Category::kAllToAll},
     {"collective_permute", Category::kCollectivePermute},
     {"broadcast", Category::kCollectiveBroadcast},
     {"sendrecv", Category::kSendReceive}}};
// What computes: words for what it does, then libraries and compilers whose kernels do something unsaid.
// XLA's own helpers, which check and delay what is being tuned, are in no table.
constexpr std::array<KernelWord, 42> kKernelWords = {{{"fmha", Category::kAttention},
                                                      {"flash_fwd", Category::kAttention},
                                                      {"flash_bwd", Category::kAttention},
                                                      {"attention", Category::kAttention},
                                                      {"fprop", Category::kConvolution},
                                                      {"dgrad", Category::kConvolution},
                                                      {"wgrad", Category::kConvolution},
                                                      {"convolve", Category::kConvolution},
                                                      {"winograd", Category::kConvolution},
                                                      {"im2col", Category::kConvolution},
                                                      {"im3d2col", Category::kConvolution},
                                                      {"gemm", Category::kMatmul},
                                                      {"gemv", Category::kMatmul},
                                                      {"nvjet", Category::kMatmul},
                                                      {"matmul", Category::kMatmul},
                                                      {"cijk_", Category::kMatmul},
                                                      {"cublas", Category::kMatmul},
                                                      {"cutlass", Category::kMatmul},
                                                      {"cusolver", Category::kLinearAlgebra},
                                                      {"rocsolver", Category::kLinearAlgebra},
                                                      {"getrf", Category::kLinearAlgebra},
                                                      {"potrf", Category::kLinearAlgebra},
                                                      {"trsm", Category::kLinearAlgebra},
                                                      {"fft", Category::kFft},
                                                      {"sort", Category::kSort},
                                                      {"topk", Category::kSort},
                                                      {"softmax", Category::kSoftmax},
                                                      {"layernorm", Category::kNormalisation},
                                                      {"layer_norm", Category::kNormalisation},
                                                      {"rmsnorm", Category::kNormalisation},
                                                      {"rms_norm", Category::kNormalisation},
                                                      {"batchnorm", Category::kNormalisation},
                                                      {"threefry", Category::kRandom},
                                                      {"philox", Category::kRandom},
                                                      {"reduce", Category::kReduction},
                                                      {"transpose", Category::kLayout},
                                                      {"fusion", Category::kOther},
                                                      {"wrapped_", Category::kOther},
                                                      {"triton", Category::kOther},
                                                      {"cudnn", Category::kOther},
                                                      {"miopen", Category::kOther},
                                                      {"mosaic", Category::kOther}}};

// What stands in a computation and everything it calls.
struct Contents {
  std::array<uint32_t, 64> counts{};
  bool exponential = false;
  bool square_root = false;

  uint32_t& of(Category category) { return counts[static_cast<size_t>(category)]; }
  bool has(Category category) const { return counts[static_cast<size_t>(category)] > 0; }

  // `budget`: how many more instructions to look at; fusions of a bad file may contain each other.
  void Add(const Program& program, ComputationIndex index, int depth, size_t& budget) {
    const Computation& computation = program.computations[index.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      if (budget == 0) return;
      --budget;
      const Instruction& instruction = program.instructions[i];
      const std::string_view opcode = program.text(instruction.opcode);
      exponential |= IsOneOf(opcode, {"exponential", "exponential-minus-one"});
      square_root |= IsOneOf(opcode, {"rsqrt", "sqrt"});
      ++of(CategoryOf(program, InstructionIndex(i), depth, budget));
    }
  }

  static Category CategoryOf(const Program& program, InstructionIndex index, int depth, size_t& budget);

  Category Hero() const {
    if (counts[static_cast<size_t>(Category::kMatmul)] >= 2 && exponential) return Category::kAttention;
    for (const Category category :
         {Category::kAttention, Category::kMatmul, Category::kConvolution, Category::kAllReduce,
          Category::kAllGather, Category::kReduceScatter, Category::kAllToAll, Category::kCollectivePermute,
          Category::kCollectiveBroadcast, Category::kCustomCall, Category::kFft, Category::kSort,
          Category::kGatherScatter}) {
      if (has(category)) return category;
    }
    if (has(Category::kSoftmax) || (has(Category::kReduction) && exponential)) return Category::kSoftmax;
    if (has(Category::kNormalisation) || (has(Category::kReduction) && square_root)) {
      return Category::kNormalisation;
    }
    for (const Category category : {Category::kReduction, Category::kRandom, Category::kElementwise,
                                    Category::kConversion, Category::kLayout}) {
      if (has(category)) return category;
    }
    return Category::kOther;
  }
};

// On a TPU a matrix multiplication is a convolution over no dimension.
bool IsPlainProduct(const Program& program, const Instruction& instruction) {
  if (instruction.convolution >= program.convolutions.size()) return false;
  return program.convolutions[instruction.convolution].kernel_spatial.empty();
}

// Of copy-start and copy-done.
Category OfAsynchronousCopy(const Program& program, const Instruction& instruction) {
  const auto between = CopiedMemoriesOf(program, instruction);
  if (!between || between->from_host == between->to_host) return Category::kCopy;
  return between->from_host ? Category::kCopyToDevice : Category::kCopyToHost;
}

Category Contents::CategoryOf(const Program& program, InstructionIndex index, int depth, size_t& budget) {
  const Instruction& instruction = program[index];
  const std::string_view opcode = program.text(instruction.opcode);
  const bool wrapper = opcode.starts_with("async-");
  if ((opcode == "fusion" || wrapper) && !instruction.called.empty() && depth < kDeepest) {
    Contents contents;
    for (const ComputationIndex called : instruction.called) contents.Add(program, called, depth + 1, budget);
    return contents.Hero();
  }
  if (opcode == "custom-call") {
    return OfTarget(program.text(instruction.custom_call_target), program.text(instruction.op_name));
  }
  if (opcode == "copy-start" || opcode == "copy-done") return OfAsynchronousCopy(program, instruction);
  const Category category = OfOpcode(opcode);
  if (category == Category::kConvolution && IsPlainProduct(program, instruction)) return Category::kMatmul;
  return category;
}

// In the order of Category.
constexpr std::array<std::string_view, 34> kNames = {"matmul",
                                                     "convolution",
                                                     "attention",
                                                     "linear algebra",
                                                     "fft",
                                                     "sort",
                                                     "gather/scatter",
                                                     "softmax",
                                                     "normalisation",
                                                     "reduction",
                                                     "random numbers",
                                                     "elementwise",
                                                     "type conversion",
                                                     "layout",
                                                     "all-reduce",
                                                     "all-gather",
                                                     "reduce-scatter",
                                                     "all-to-all",
                                                     "collective-permute",
                                                     "collective-broadcast",
                                                     "send/recv",
                                                     "collective",
                                                     "copy to device",
                                                     "copy to host",
                                                     "copy on device",
                                                     "copy between devices",
                                                     "copy",
                                                     "memset",
                                                     "control flow",
                                                     "host callback",
                                                     "custom call",
                                                     "other",
                                                     "unattributed",
                                                     "other programs"};
static_assert(kNames.size() == static_cast<size_t>(Category::kOtherPrograms) + 1);

}  // namespace

std::string_view Name(Category category) { return kNames[static_cast<size_t>(category)]; }

Category CategoryOf(const Program& program, InstructionIndex instruction) {
  size_t budget = kMostLookedAt;
  return Contents::CategoryOf(program, instruction, 0, budget);
}

Category CategoryOfKernel(std::string_view name) {
  const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (starts("MemcpyH2D")) return Category::kCopyToDevice;
  if (starts("MemcpyD2H")) return Category::kCopyToHost;
  if (starts("MemcpyP2P")) return Category::kCopyBetweenDevices;
  if (starts("MemcpyD2D")) return Category::kCopyOnDevice;
  // In small letters the driver's own kernels for copies inside graphs: memcpy32_post, memcpy128, memset32.
  if (starts("Memset") || starts("memset") || starts("__amd_rocclr_fill")) return Category::kMemset;
  if (starts("Memcpy") || starts("memcpy") || starts("__amd_rocclr_copy")) return Category::kCopy;
  if (starts("%")) return Category::kUnattributed;  // an operation of a TPU: HLO text with other names in it
  std::string lower = InSmallLetters(name);
  std::ranges::replace(lower, '-', '_');
  if (lower.starts_with("copy_start") || lower.starts_with("copy_done")) return Category::kCopy;
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  const bool communicates = std::ranges::any_of(kCommunicationWords, has) ||
                            std::ranges::any_of(kCommunicationPrefixes, [&](std::string_view word) {
                              return lower.starts_with(word);
                            });
  const auto of = [&](std::span<const KernelWord> words, Category otherwise) {
    const auto found = std::ranges::find_if(words, has, &KernelWord::word);
    return found == words.end() ? otherwise : found->category;
  };
  return communicates ? of(kCollectiveWords, Category::kCollective)
                      : of(kKernelWords, Category::kUnattributed);
}

bool IsCopyCategory(Category category) {
  switch (category) {
    case Category::kCopyToDevice:
    case Category::kCopyToHost:
    case Category::kCopyOnDevice:
    case Category::kCopyBetweenDevices:
    case Category::kCopy:
    case Category::kMemset:
      return true;
    default:
      return false;
  }
}

bool IsCollectiveCategory(Category category) {
  switch (category) {
    case Category::kAllReduce:
    case Category::kAllGather:
    case Category::kReduceScatter:
    case Category::kAllToAll:
    case Category::kCollectivePermute:
    case Category::kCollectiveBroadcast:
    case Category::kSendReceive:
    case Category::kCollective:
      return true;
    default:
      return false;
  }
}

}  // namespace gait::analyze
