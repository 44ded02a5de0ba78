#include "gait/analyze/vocabulary/python_frames.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/vocabulary/people_words.h"
#include "gait/analyze/vocabulary/runtime_events.h"
#include "gait/analyze/vocabulary/words.h"

namespace gait::analyze {
namespace {

constexpr std::array<std::string_view, 10> kCompileFiles = {"cache_key.py", "compilation_cache.py",
                                                            "compiler.py",  "dispatch.py",
                                                            "mlir.py",      "partial_eval.py",
                                                            "pjit.py",      "pxla.py",
                                                            "stages.py",    "xla.py"};

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

// gait's own files whose names nobody else has, and the functions of files whose names others may have; these
// are sorted.
using FileAndFunction = std::pair<std::string_view, std::string_view>;
constexpr std::array<std::string_view, 8> kGaitFiles = {"_inflight.py",   "_jax_launches.py", "_ending.py",
                                                        "_term.py",       "_countdown.py",    "_periods.py",
                                                        "_on_request.py", "_exits.py"};
constexpr auto kGaitFunctions = std::to_array<FileAndFunction>({
#include "gait/analyze/vocabulary/gait_functions.inc"
});
// Those that wait for what the program has launched.
constexpr std::array<FileAndFunction, 2> kGaitWaits = {
    {{"_inflight.py", "wait"}, {"_jax.py", "wait_for_devices"}}};

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
  if (!IsOneOf(python.file, kCompileFiles)) return false;
  return HasOneOf(python.words, kCompileWords) || WorkOfRuntimeEvent(python.function) == HostWork::kCompile;
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

}  // namespace

bool IsGaitsFrame(const PythonName& python) {
  if (python.file.starts_with("gait.") || IsOneOf(python.file, kGaitFiles)) return true;
  const auto* file = std::ranges::lower_bound(kGaitFunctions, python.file, {}, &FileAndFunction::first);
  return file != kGaitFunctions.end() && file->first == python.file &&
         file->second.contains(fmt::format(" {} ", python.function));
}

bool IsGaitsWait(const PythonName& python) {
  return std::ranges::find(kGaitWaits, FileAndFunction{python.file, python.function}) != kGaitWaits.end();
}

HostWork WorkOfFrame(std::string_view name) {
  const PythonFunction python(name);
  if (IsGaitsFrame(python)) return IsGaitsWait(python) ? HostWork::kSync : HostWork::kNone;
  const auto found =
      std::ranges::find_if(kPythonWork, [&](const PythonWork& work) { return work.is(python); });
  return found == kPythonWork.end() ? HostWork::kNone : found->work;
}

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

bool IsOfWith(std::string_view name) { return name.starts_with("$contextlib.py"); }

}  // namespace gait::analyze
