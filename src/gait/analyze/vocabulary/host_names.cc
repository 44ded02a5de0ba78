#include "gait/analyze/vocabulary/host_names.h"

#include <algorithm>
#include <array>

#include "gait/analyze/vocabulary/people_words.h"
#include "gait/analyze/vocabulary/python_frames.h"
#include "gait/analyze/vocabulary/runtime_events.h"
#include "gait/analyze/vocabulary/words.h"

namespace gait::analyze {
namespace {

bool StartsWithOneOf(std::string_view name, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr std::array<std::string_view, 2> kPeerWords = {"rendezvous", "sync_global_devices"};
constexpr std::array<std::string_view, 4> kCallbackKinds = {"python", "pure", "io", "debug"};
constexpr std::array<std::string_view, 3> kAllocatorWords = {"alloc", "allocator", "malloc"};
// Names that no person writes: prefixes of JAX, XLA, PJRT, TSL and of the drivers' libraries. Names with ::
// are theirs anyway.
constexpr std::array<std::string_view, 51> kRuntimeNames = {"PjRt",
                                                            "PJRT",
                                                            "Pjit",
                                                            "pjit",
                                                            "Pmap",
                                                            "pmap",
                                                            "cpp_pjit",
                                                            "XLA",
                                                            "Xla",
                                                            "xla",
                                                            "TSL",
                                                            "tsl",
                                                            "Tfrt",
                                                            "TFRT",
                                                            "Tpu",
                                                            "TPU ",
                                                            "Cuda",
                                                            "Gpu",
                                                            "HLO ",
                                                            "Hlo",
                                                            "hlo_",
                                                            "hlo-",
                                                            "LLVM",
                                                            "MLIR",
                                                            "Thunk",
                                                            "Rendezvous",
                                                            "Threadpool",
                                                            "MemoryAllocation",
                                                            "MemoryDealloc",
                                                            "ThenExecute",
                                                            "ExecuteReplicated",
                                                            "ComputeSemaphore",
                                                            "Wait for ",
                                                            "Handle input",
                                                            "RecordUsage",
                                                            "ParseArguments",
                                                            "DevicePut",
                                                            "shard_args",
                                                            "np.asarray(",
                                                            "backend_compile",
                                                            "ArrayImpl.",
                                                            "lower_jaxpr",
                                                            "end: ",
                                                            "H2D ",
                                                            "D2H ",
                                                            "D2D ",
                                                            "Memcpy",
                                                            "Memset",
                                                            "nccl",
                                                            "BatchedCopyToDevice",
                                                            "batched_copy_array_to_"};

// Names of threads that belong to the runtime.
constexpr std::array<std::string_view, 16> kPools = {
    "pjrt", "tf_", "py_xla", "Host Threads/", "tfrt",  "xla",  "XLA",   "Eigen",
    "grpc", "TSL", "tsl",    "switchto",      "cupti", "nccl", "futex", "EventMgr"};

constexpr std::array<std::string_view, 14> kRuntimeArguments = {
    "correlation_id", "hlo_op",      "hlo_module", "run_id",        "device_ordinal",
    "program_id",     "_p",          "_c",         "_pt",           "_ct",
    "_src",           "module_name", "context_id", "scope_range_id"};

// `work` is that of WorkOfRuntimeEvent.
bool NamesRuntime(std::string_view name, HostWork work) {
  return name.contains("::") || name.starts_with('[') || name.ends_with(":XLA GPU module") ||
         StartsWithOneOf(name, kRuntimeNames) || work == HostWork::kCompile || work == HostWork::kAllocator ||
         IsDriverCall(name);
}

}  // namespace

std::string_view Name(HostKind kind) {
  constexpr std::array<std::string_view, kHostKinds> kNames = {"step",    "annotation", "python",
                                                               "runtime", "operation",  "profiler"};
  return kNames[static_cast<size_t>(kind)];
}

HostKind KindOfName(std::string_view name) {
  if (IsPythonFrame(name)) {
    const PythonName python = SplitPython(name);
    return IsGaitsFrame(python) && !IsGaitsWait(python) ? HostKind::kProfiler : HostKind::kPython;
  }
  if (name == "BUFFER_FLUSH" || name == "<UNKNOWN>") return HostKind::kProfiler;
  return NamesRuntime(name, WorkOfRuntimeEvent(name)) ? HostKind::kRuntime : HostKind::kAnnotation;
}

bool IsWaitOfGait(std::string_view name) {
  return name == kWaitOfGait || (IsPythonFrame(name) && IsGaitsWait(SplitPython(name)));
}

HostWork WorkOfName(std::string_view name) {
  if (name.empty()) return HostWork::kNone;
  if (IsPythonFrame(name)) return WorkOfFrame(name);
  const HostWork known = WorkOfRuntimeEvent(name);
  if (known != HostWork::kDispatch) return known;
  const bool runtime = NamesRuntime(name, known);
  const Words words = WordsOf(runtime ? name.substr(0, name.find('(')) : name);  // not what is called
  if (runtime && HasOneOf(words, kCompileWords)) return HostWork::kCompile;
  if (HasOneOf(words, kPeerWords)) return HostWork::kPeer;
  // What people call callbacks is code of their loop, and the runtime has callbacks of its own
  // (ThenExecuteCallback).
  if (runtime && HasOneOf(words, kCallbackWords) && HasOneOf(words, kCallbackKinds)) {
    return HostWork::kCallback;
  }
  if (IsDriverCall(name) && HasAll(words, {"synchronize"})) return HostWork::kSync;
  if (HasAll(words, {"collect", "garbage"}) || HasAll(words, {"garbage", "collection"}) ||
      words == Words{"gc"}) {
    return HostWork::kCollect;
  }
  if (!IsDriverCall(name) && HasOneOf(words, kAllocatorWords)) return HostWork::kAllocator;
  return runtime ? HostWork::kDispatch : WorkOfAnnotation(words);
}

HostWork WorkOf(HostKind kind, std::string_view name) {
  const bool works = kind == HostKind::kAnnotation || kind == HostKind::kPython || kind == HostKind::kRuntime;
  return works ? WorkOfName(name) : HostWork::kNone;
}

bool MovesBytes(std::string_view name) {
  constexpr std::array<std::string_view, 3> kMoves = {"Transpose", "Linearize", "H2D "};
  return StartsWithOneOf(name, kMoves);
}

bool IsProfilersProgram(std::string_view name) { return name == "jit_gait_marker"; }

bool IsRuntimeThread(std::string_view name) { return StartsWithOneOf(name, kPools); }

bool IsNumberedThread(std::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return false;
  std::string_view number = name.substr(slash + 1);
  if (number.starts_with('-')) number.remove_prefix(1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsRuntimeArgument(std::string_view name) {
  return std::ranges::find(kRuntimeArguments, name) != kRuntimeArguments.end();
}

std::string_view CommonName(std::string_view name) {
  const size_t bracket = name.find(" [");
  if (bracket != std::string_view::npos && name.ends_with(']')) return name.substr(0, bracket);
  const size_t space = name.rfind(' ');
  if (space == std::string_view::npos || name.find('=', space) == std::string_view::npos) return name;
  name = name.substr(0, space);
  return name.ends_with(':') ? name.substr(0, name.size() - 1) : name;
}

}  // namespace gait::analyze
