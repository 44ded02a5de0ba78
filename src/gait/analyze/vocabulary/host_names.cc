#include "gait/analyze/vocabulary/host_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "gait/analyze/vocabulary/gait_frames.h"
#include "gait/analyze/vocabulary/python_name.h"
#include "gait/analyze/vocabulary/words.h"

namespace gait::analyze {
namespace {

bool StartsWithOneOf(std::string_view name, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// People compile regular expressions and reports, too: these words count in names that only runtimes write
// and in Python files of JAX.
constexpr std::array<std::string_view, 10> kCompileWords = {
    "compile", "compiling", "compilation", "recompile", "recompiling",
    "jaxpr",   "autotune",  "autotuning",  "autotuner", "lowering"};
constexpr std::array<std::string_view, 10> kCompileFiles = {"cache_key.py", "compilation_cache.py",
                                                            "compiler.py",  "dispatch.py",
                                                            "mlir.py",      "partial_eval.py",
                                                            "pjit.py",      "pxla.py",
                                                            "stages.py",    "xla.py"};
// Of JAX and XLA; no person writes these.
constexpr std::array<std::string_view, 15> kCompileNames = {
    "HLO Transforms:",       "OptimizeHloModule",    "config-assigner",     "lower_sharding_computation",
    "lower_jaxpr_to_",       "trace_to_jaxpr",       "Compiling IR",        "CompileGpuAsm",
    "CompileModuleToLlvmIr", "CompileSingleModule",  "CompileTargetBinary", "CompileToBackendResult",
    "CompileExtraKernels",   "CompileCpuExecutable", "LoadAutotuneResults"};
constexpr std::array<std::string_view, 2> kPeerWords = {"rendezvous", "sync_global_devices"};
constexpr std::array<std::string_view, 2> kCallbackWords = {"callback", "callbacks"};
constexpr std::array<std::string_view, 4> kCallbackKinds = {"python", "pure", "io", "debug"};
// What people call their input pipelines, and what the frameworks call theirs.
constexpr std::array<std::string_view, 19> kInputWords = {
    "data",     "dataset",  "datasets", "dataloader", "dataloading", "loader",     "input",
    "inputs",   "infeed",   "fetch",    "fetching",   "prefetch",    "prefetcher", "prefetching",
    "iterator", "tokenize", "grain",    "batching",   "preprocess"};
// Input only where no other word speaks against it: "load_batch" is, "load_checkpoint" and "train_batch" are
// not.
constexpr std::array<std::string_view, 7> kWeakInputWords = {"load",    "loading", "next",   "batch",
                                                             "batches", "read",    "reading"};
constexpr std::array<std::string_view, 17> kFillers = {
    "get", "the", "a",      "of",  "to",      "from",     "make",    "host", "wait",
    "for", "new", "sample", "cpu", "example", "examples", "samples", "on"};
// A step, a model or an operation that has an input word in its name is no input pipeline.
constexpr std::array<std::string_view, 44> kNoInput = {
    "train", "training", "eval", "evaluate", "step", "forward", "backward", "update", "parallel", "model",
    "loss", "grad", "gradients", "checkpoint", "weights", "params", "fusion", "reduce", "handle", "execute",
    "event", "reuse", "projection", "embed", "compute", "sharding",
    // What comes back from the device, and what is written.
    "metric", "metrics", "losses", "result", "results", "output", "outputs", "log", "logs", "logging",
    "write", "writing", "save", "saving", "store", "dump", "summary", "report"};
// tf.data and the runtimes' own names.
constexpr std::array<std::string_view, 4> kInputNames = {"Iterator::", "IteratorGetNext", "InfeedEnqueue",
                                                         "TransferToInfeed"};
constexpr std::array<std::string_view, 10> kStagingNames = {"H2D ",
                                                            "DevicePut",
                                                            "shard_args",
                                                            "Transpose::Execute",
                                                            "TransferToDevice",
                                                            "BatchedDevicePut",
                                                            "TransferHostToDevice",
                                                            "CopyRawHostToDevice",
                                                            "batched_device_put",
                                                            "LinearizeInto"};
constexpr std::array<std::string_view, 4> kStagingParts = {"BufferFromHost", "LinearizeIntoImpl",
                                                           "LinearizeHostBufferInto", "CopyRawHostToDevice"};
constexpr std::array<std::string_view, 5> kSyncParts = {"block_until_ready", "::Await", "ToLiteral",
                                                        "BlockHostUntil", "CopyRawDeviceToHost"};
constexpr std::array<std::string_view, 4> kSyncNames = {"np.asarray(jax.Array)", "D2H ",
                                                        "ComputeSemaphoreAcquire", "TransferFromDevice"};
// Words of annotations.
constexpr std::array<std::string_view, 4> kStagingWords = {"transfer", "h2d", "upload", "staging"};
constexpr std::array<std::string_view, 6> kSyncWords = {"await", "wait",        "waiting",
                                                        "sync",  "synchronize", "synchronization"};
constexpr std::array<std::string_view, 3> kAllocatorWords = {"alloc", "allocator", "malloc"};
constexpr std::array<std::string_view, 7> kAllocatorNames = {"cuMemAlloc",
                                                             "cuMemFree",
                                                             "cuMemHostAlloc",
                                                             "hipMalloc",
                                                             "hipFree",
                                                             "AllocateOutputBuffers",
                                                             "Build buffer allocations"};
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

// Files of JAX, NumPy and the standard library that stand between a user's line and what it calls. The tracer
// writes names without directories.
constexpr std::array<std::string_view, 42> kLibraryFiles = {"_base.py",
                                                            "api.py",
                                                            "api_util.py",
                                                            "array.py",
                                                            "array_constructors.py",
                                                            "array_creation.py",
                                                            "array_methods.py",
                                                            "batching.py",
                                                            "callback.py",
                                                            "compiler.py",
                                                            "config.py",
                                                            "contextlib.py",
                                                            "core.py",
                                                            "dispatch.py",
                                                            "dtypes.py",
                                                            "fromnumeric.py",
                                                            "functools.py",
                                                            "indexing.py",
                                                            "lax.py",
                                                            "lax_numpy.py",
                                                            "linear_util.py",
                                                            "mlir.py",
                                                            "numeric.py",
                                                            "pjit.py",
                                                            "prng.py",
                                                            "profiler.py",
                                                            "pxla.py",
                                                            "queue.py",
                                                            "random.py",
                                                            "selectors.py",
                                                            "sharding_impls.py",
                                                            "socket.py",
                                                            "stages.py",
                                                            "subprocess.py",
                                                            "thread.py",
                                                            "threading.py",
                                                            "traceback_util.py",
                                                            "tree_util.py",
                                                            "ufunc_api.py",
                                                            "ufuncs.py",
                                                            "util.py",
                                                            "xla_bridge.py"};

// Libraries whose calls are a short prefix and a capital: cuLaunchKernel, hipMemcpyAsync.
constexpr std::array<std::string_view, 7> kDriverPrefixes = {"cu",  "cuda", "cuda_", "hip",
                                                             "hsa", "roc",  "rccl"};
bool IsDriverCall(std::string_view name) {
  return std::ranges::any_of(kDriverPrefixes, [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() &&
           std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0;
  });
}

// Names of threads that belong to the runtime.
constexpr std::array<std::string_view, 16> kPools = {
    "pjrt", "tf_", "py_xla", "Host Threads/", "tfrt",  "xla",  "XLA",   "Eigen",
    "grpc", "TSL", "tsl",    "switchto",      "cupti", "nccl", "futex", "EventMgr"};

constexpr std::array<std::string_view, 14> kRuntimeArguments = {
    "correlation_id", "hlo_op",      "hlo_module", "run_id",        "device_ordinal",
    "program_id",     "_p",          "_c",         "_pt",           "_ct",
    "_src",           "module_name", "context_id", "scope_range_id"};

// A function of Python, with the words of its name.
struct PythonFunction : PythonName {
  Words words;

  explicit PythonFunction(std::string_view name) : PythonName(SplitPython(name)), words(WordsOf(function)) {}
};

template <size_t N>
bool IsOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

bool WaitsForDevice(const PythonFunction& python) {
  constexpr std::array<std::string_view, 8> kWaits = {"item",    "tolist",   "__array__", "__float__",
                                                      "__int__", "__bool__", "__index__", "_value"};
  constexpr std::array<std::string_view, 4> kBlocks = {"block_until_ready", "try_to_block", "device_get",
                                                       "effects_barrier"};
  return IsOneOf(python.function, kBlocks) || (python.file == "array.py" && IsOneOf(python.function, kWaits));
}

bool WaitsForPeers(const PythonFunction& python) { return python.function == "sync_global_devices"; }

// What a training loop takes out of a queue another thread or process has loaded.
bool TakesFromQueue(const PythonFunction& python) {
  return (python.file == "queue.py" || python.file == "queues.py") && python.function == "get";
}

// JAX's own: callback.py has what runs when a program calls back, and debugging.py what prints.
bool CallsBack(const PythonFunction& python) {
  return python.file == "callback.py" ||
         (python.file == "debugging.py" && HasOneOf(python.words, kCallbackWords));
}

bool Collects(const PythonFunction& python) {
  return python.file == "gc" || python.function == "_gc_callback";
}

bool Compiles(const PythonFunction& python) {
  return (HasOneOf(python.words, kCompileWords) || StartsWithOneOf(python.function, kCompileNames)) &&
         IsOneOf(python.file, kCompileFiles);
}

bool Stages(const PythonFunction& python) { return HasAll(python.words, {"device", "put"}); }

// Libraries use words such as `next` and `data` everywhere: of Python code only a file that is a pipeline
// counts, or a function whose name can mean nothing else.
bool LoadsInput(const PythonFunction& python) {
  constexpr std::array<std::string_view, 8> kPipelines = {
      "dataloader", "dataset", "datasets", "loader", "prefetch", "prefetcher", "grain", "dataloading"};
  if (HasOneOf(python.words, kPipelines) || HasOneOf(WordsOf(python.file), kPipelines)) return true;
  const bool next = python.function == "__next__" || (python.file == "builtins" && python.function == "next");
  return next || HasAll(python.words, {"next", "batch"}) || HasAll(python.words, {"load", "batch"}) ||
         HasAll(python.words, {"get", "batch"}) || HasAll(python.words, {"load", "data"});
}

// The first that a function is, is what it does.
struct PythonWork {
  bool (*is)(const PythonFunction&);
  HostWork work;
};
constexpr std::array<PythonWork, 8> kPythonWork = {{{WaitsForDevice, HostWork::kSync},
                                                    {WaitsForPeers, HostWork::kPeer},
                                                    {TakesFromQueue, HostWork::kInput},
                                                    {CallsBack, HostWork::kCallback},
                                                    {Collects, HostWork::kCollect},
                                                    {Compiles, HostWork::kCompile},
                                                    {Stages, HostWork::kStaging},
                                                    {LoadsInput, HostWork::kInput}}};

HostWork WorkOfPython(std::string_view name) {
  const PythonFunction python(name);
  if (IsGaitsFrame(python)) return IsGaitsWait(python) ? HostWork::kSync : HostWork::kNone;
  const auto found =
      std::ranges::find_if(kPythonWork, [&](const PythonWork& work) { return work.is(python); });
  return found == kPythonWork.end() ? HostWork::kNone : found->work;
}

bool NamesInput(const Words& words) {
  if (words.empty() || HasOneOf(words, kNoInput)) return false;
  if (HasOneOf(words, kInputWords)) return true;
  return HasOneOf(words, kWeakInputWords) && std::ranges::all_of(words, [](const std::string& word) {
           return std::ranges::find(kWeakInputWords, word) != kWeakInputWords.end() ||
                  std::ranges::find(kFillers, word) != kFillers.end();
         });
}

bool NamesRuntime(std::string_view name) {
  return name.find("::") != std::string_view::npos || name.starts_with('[') ||
         name.ends_with(":XLA GPU module") || StartsWithOneOf(name, kRuntimeNames) ||
         StartsWithOneOf(name, kCompileNames) || IsDriverCall(name);
}

// Of what people call their own code.
HostWork WorkOfAnnotation(const Words& words) {
  const bool computes = HasOneOf(words, kNoInput);
  if (HasAll(words, {"device", "put"}) || HasAll(words, {"to", "device"}) || HasAll(words, {"to", "gpu"}) ||
      HasAll(words, {"to", "tpu"}) || (!computes && HasOneOf(words, kStagingWords))) {
    return HostWork::kStaging;
  }
  if (NamesInput(words)) return HostWork::kInput;
  if (HasOneOf(words, kSyncWords)) return HostWork::kSync;
  return HostWork::kNone;
}

bool HasPart(std::string_view name, const auto& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

std::string_view Name(HostKind kind) {
  constexpr std::array<std::string_view, kHostKinds> kNames = {"step",    "annotation", "python",
                                                               "runtime", "operation",  "profiler"};
  return kNames[static_cast<size_t>(kind)];
}

HostKind KindOfName(std::string_view name) {
  if (name.starts_with('$')) {
    const PythonName python = SplitPython(name);
    return IsGaitsFrame(python) && !IsGaitsWait(python) ? HostKind::kProfiler : HostKind::kPython;
  }
  if (name == "BUFFER_FLUSH" || name == "<UNKNOWN>") return HostKind::kProfiler;
  return NamesRuntime(name) ? HostKind::kRuntime : HostKind::kAnnotation;
}

HostWork WorkOfName(std::string_view name) {
  if (name.empty()) return HostWork::kNone;
  if (name.starts_with('$')) return WorkOfPython(name);
  if (StartsWithOneOf(name, kInputNames)) return HostWork::kInput;
  if (StartsWithOneOf(name, kStagingNames) || HasPart(name, kStagingParts)) return HostWork::kStaging;
  // A pool that waits for its own tasks is running them (SlinkyThreadPool::Await).
  const bool of_pool = name.find("ThreadPool::") != std::string_view::npos;
  if (StartsWithOneOf(name, kSyncNames) || (HasPart(name, kSyncParts) && !of_pool)) return HostWork::kSync;
  if (StartsWithOneOf(name, kAllocatorNames)) return HostWork::kAllocator;
  const bool runtime = NamesRuntime(name);
  const Words words = WordsOf(runtime ? name.substr(0, name.find('(')) : name);  // not what is called
  if (StartsWithOneOf(name, kCompileNames) || (runtime && HasOneOf(words, kCompileWords))) {
    return HostWork::kCompile;
  }
  if (HasOneOf(words, kPeerWords)) return HostWork::kPeer;
  // What people call callbacks is code of their loop, and the runtime has callbacks of its own
  // (ThenExecuteCallback).
  if (runtime && HasOneOf(words, kCallbackWords) && HasOneOf(words, kCallbackKinds)) {
    return HostWork::kCallback;
  }
  if (IsDriverCall(name) && HasAll(words, {"synchronize"})) return HostWork::kSync;
  if (HasAll(words, {"collect", "garbage"}) || HasAll(words, {"garbage", "collection"})) {
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

bool IsUserFrame(std::string_view name) {
  if (!name.starts_with('$')) return false;
  const PythonName python = SplitPython(name);
  const std::string_view file = python.file;
  return !IsGaitsFrame(python) && file.ends_with(".py") && !file.starts_with('<') &&
         std::ranges::find(kLibraryFiles, file) == kLibraryFiles.end();
}

bool IsSleeping(std::string_view name) {
  if (!name.starts_with('$')) return false;
  constexpr std::array<std::string_view, 5> kSleeps = {"sleep", "acquire", "select", "poll", "wait"};
  const PythonName python = SplitPython(name);
  return !python.file.ends_with(".py") && std::ranges::find(kSleeps, python.function) != kSleeps.end();
}

bool IsBareWait(std::string_view name) {
  if (!name.starts_with('$')) return false;
  const PythonName python = SplitPython(name);
  return python.file == "<unknown>" || (python.file == "threading.py" && python.function == "wait");
}

bool IsWaitForThread(std::string_view name) {
  return IsSleeping(name) && SplitPython(name).function == "acquire";
}

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
