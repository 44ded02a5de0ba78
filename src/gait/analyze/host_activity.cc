#include "gait/analyze/host_activity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "gait/analyze/view.h"
#include "gait/analyze/words.h"

namespace gait::analyze {
namespace {

bool StartsWithOneOf(std::string_view name, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr std::array<std::string_view, 10> kCompileWords = {
    "compile", "compiling", "compilation", "recompile", "recompiling",
    "jaxpr",   "autotune",  "autotuning",  "autotuner", "lowering"};
constexpr std::array<std::string_view, 5> kCompileNames = {"HLO Transforms:", "OptimizeHloModule",
                                                           "config-assigner", "lower_sharding_computation",
                                                           "lower_jaxpr_to_"};
constexpr std::array<std::string_view, 2> kPeerWords = {"rendezvous", "sync_global_devices"};
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
constexpr std::array<std::string_view, 26> kNoInput = {
    "train",  "training", "eval",  "evaluate",  "step",       "forward", "backward", "update",  "parallel",
    "model",  "loss",     "grad",  "gradients", "checkpoint", "weights", "params",   "fusion",  "reduce",
    "handle", "execute",  "event", "reuse",     "projection", "embed",   "compute",  "sharding"};
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
constexpr std::array<std::string_view, 3> kAllocatorWords = {"alloc", "allocator", "malloc"};
constexpr std::array<std::string_view, 7> kAllocatorNames = {"cuMemAlloc",
                                                             "cuMemFree",
                                                             "cuMemHostAlloc",
                                                             "hipMalloc",
                                                             "hipFree",
                                                             "AllocateOutputBuffers",
                                                             "Build buffer allocations"};
// What JAX and XLA call their own work at the top of a Python thread. Names with :: are theirs anyway.
constexpr std::array<std::string_view, 25> kRuntimeNames = {"PjitFunction(",
                                                            "PmapFunction(",
                                                            "PJRT_",
                                                            "ParseArguments",
                                                            "shard_args",
                                                            "DevicePut",
                                                            "np.asarray(",
                                                            "Wait for ",
                                                            "H2D ",
                                                            "D2H ",
                                                            "Memcpy",
                                                            "MemoryAllocation",
                                                            "MemoryDealloc",
                                                            "backend_compile",
                                                            "lower_",
                                                            "end: ",
                                                            "BUFFER_FLUSH",
                                                            "<UNKNOWN>",
                                                            "ComputeSemaphore",
                                                            "ExecuteReplicated",
                                                            "ThenExecute",
                                                            "Handle input",
                                                            "Memset",
                                                            "ThreadpoolListener",
                                                            "ArrayImpl."};

// "cuLaunchKernel", "hipMemcpyAsync": a call of the driver.
bool IsDriverCall(std::string_view name) {
  const auto upper_at = [&](size_t i) {
    return name.size() > i && std::isupper(static_cast<unsigned char>(name[i])) != 0;
  };
  return (name.starts_with("cu") && upper_at(2)) || (name.starts_with("hip") && upper_at(3)) ||
         (name.starts_with("cuda") && upper_at(4)) || (name.starts_with("cuda_") && upper_at(5));
}

struct PythonName {
  std::string_view file;      // "array.py", or the module
  std::string_view function;  // "block_until_ready"
};
// "$array.py:404 __array__", "$time sleep".
PythonName SplitPython(std::string_view name) {
  name.remove_prefix(1);
  const size_t space = name.rfind(' ');
  if (space == std::string_view::npos) return {{}, name};
  std::string_view file = name.substr(0, space);
  const size_t colon = file.rfind(':');
  if (colon != std::string_view::npos) file = file.substr(0, colon);
  return {file, name.substr(space + 1)};
}

HostWork WorkOfPython(std::string_view name) {
  const PythonName python = SplitPython(name);
  constexpr std::array<std::string_view, 8> kWaits = {"item",    "tolist",   "__array__", "__float__",
                                                      "__int__", "__bool__", "__index__", "_value"};
  if (python.function == "block_until_ready" || python.function == "device_get" ||
      (python.file == "array.py" && std::ranges::find(kWaits, python.function) != kWaits.end())) {
    return HostWork::kSync;
  }
  if (python.function == "sync_global_devices") return HostWork::kPeer;
  const Words function = WordsOf(python.function);
  if (StartsWithOneOf(python.function, kCompileNames) ||
      (HasOneOf(function, kCompileWords) && python.file != "re.py")) {
    return HostWork::kCompile;
  }
  if (HasAll(function, {"device", "put"})) return HostWork::kStaging;
  // Libraries use words such as `next` and `data` everywhere: of Python code only a file that is a pipeline
  // counts, or a function whose name can mean nothing else.
  constexpr std::array<std::string_view, 8> kPipelines = {
      "dataloader", "dataset", "datasets", "loader", "prefetch", "prefetcher", "grain", "dataloading"};
  if (HasOneOf(function, kPipelines) || HasOneOf(WordsOf(python.file), kPipelines)) return HostWork::kInput;
  if (HasAll(function, {"next", "batch"}) || HasAll(function, {"load", "batch"}) ||
      HasAll(function, {"get", "batch"}) || HasAll(function, {"load", "data"})) {
    return HostWork::kInput;
  }
  return HostWork::kNone;
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
         StartsWithOneOf(name, kRuntimeNames) || IsDriverCall(name);
}

bool HasPart(std::string_view name, const auto& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

HostKind KindOfName(std::string_view name) {
  if (name.starts_with('$')) return HostKind::kPython;
  return NamesRuntime(name) ? HostKind::kRuntime : HostKind::kAnnotation;
}

HostWork WorkOfName(std::string_view name) {
  if (name.empty()) return HostWork::kNone;
  if (name.starts_with('$')) return WorkOfPython(name);
  if (StartsWithOneOf(name, kInputNames)) return HostWork::kInput;
  if (StartsWithOneOf(name, kStagingNames) || HasPart(name, kStagingParts)) return HostWork::kStaging;
  if (StartsWithOneOf(name, kSyncNames) || HasPart(name, kSyncParts)) return HostWork::kSync;
  if (StartsWithOneOf(name, kAllocatorNames)) return HostWork::kAllocator;
  const Words words = WordsOf(name);
  if (StartsWithOneOf(name, kCompileNames) || HasOneOf(words, kCompileWords)) return HostWork::kCompile;
  if (HasOneOf(words, kPeerWords)) return HostWork::kPeer;
  if (IsDriverCall(name))
    return HasOneOf(words, std::array<std::string_view, 1>{"synchronize"}) ? HostWork::kSync
                                                                           : HostWork::kDispatch;
  if (HasOneOf(words, kAllocatorWords)) return HostWork::kAllocator;
  if (NamesRuntime(name)) return HostWork::kDispatch;
  if (HasAll(words, {"device", "put"}) || HasAll(words, {"to", "device"}) ||
      HasAll(words, {"host", "to", "device"})) {
    return HostWork::kStaging;
  }
  return NamesInput(words) ? HostWork::kInput : HostWork::kNone;
}

HostActivity::HostActivity(const Trace& trace)
    : events_(trace.tracks().size()), runs_python_(trace.tracks().size()) {
  struct Name {
    HostWork work;
    HostKind kind;
  };
  // Names of host events only: those of kernels need no look.
  std::vector<bool> used(trace.strings().size());
  const auto threads = [&](auto f) {
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      if (trace.tracks()[t].info().kind == TrackKind::kThread) f(t, trace.tracks()[t]);
    }
  };
  threads([&](size_t, const Track& track) {
    for (size_t i = 0; i < track.size(); ++i) used[track.name(EventIndex(i)).value] = true;
  });
  std::vector<Name> names(used.size());
  std::vector<bool> jitted(used.size());
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const std::string_view name = trace.text(StringId(i));
    names[i] = {WorkOfName(name), KindOfName(name)};
    jitted[i] = name.starts_with("PjitFunction(") || name.starts_with("PmapFunction(");
  }
  // Which argument sets make a call of the runtime (a launch), and which a step.
  const StringId correlation = trace.strings().Find("correlation_id").value_or(StringId());
  const StringId run = trace.strings().Find("run_id").value_or(StringId());
  const StringId step_num = trace.strings().Find("step_num").value_or(StringId());
  std::vector<bool> launches(trace.arg_sets().size());
  std::vector<bool> runs(trace.arg_sets().size());
  std::vector<bool> steps(trace.arg_sets().size());
  for (size_t i = 0; i < launches.size(); ++i) {
    for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(i)]) {
      if (!entry.key.valid()) continue;
      if (entry.key == correlation) launches[i] = true;
      if (entry.key == run) runs[i] = true;
      if (entry.key == step_num) steps[i] = true;
    }
  }
  uint64_t best = 0;
  threads([&](size_t t, const Track& track) {
    uint64_t calls = 0;
    uint64_t marks = 0;
    bool frames = false;
    for (size_t i = 0; i < track.size(); ++i) {
      const size_t name = track.name(EventIndex(i)).value;
      calls += jitted[name] ? 1 : 0;
      marks += steps[track.args(EventIndex(i)).value] ? 1 : 0;
      frames |= names[name].kind == HostKind::kPython;
    }
    runs_python_[t] = calls > 0 || marks > 0 || frames;
    const uint64_t weight = (marks << 32) + (calls << 1) + (frames ? 1 : 0);
    if (weight > best) {
      best = weight;
      python_thread_ = TrackId(t);
    }
  });
  threads([&](size_t t, const Track& track) {
    std::vector<uint8_t>& events = events_[t];
    events.resize(track.size());
    const bool compiles = trace.text(track.info().name).find("compile") != std::string_view::npos;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      Name found = names[track.name(event).value];
      const size_t set = track.args(event).value;
      if (launches[set] || runs[set] || (found.kind == HostKind::kAnnotation && !runs_python_[t])) {
        found.kind = HostKind::kRuntime;
        found.work =
            std::min(found.work == HostWork::kInput ? HostWork::kNone : found.work, HostWork::kDispatch);
      }
      if (steps[set]) found = {HostWork::kNone, HostKind::kAnnotation};
      if (compiles) found.work = HostWork::kCompile;
      const EventIndex parent = track.parent(event);
      bool launch = launches[set];
      bool inside = false;  // a call of the runtime, with Python frames between them or not
      if (parent.valid()) {
        const uint8_t around = events[parent.value];
        inside = (around & kInRuntime) != 0;
        launch |= (around & kLaunches) != 0;
        // Words inside a call of the runtime are names of its parts, of kernels and of passes.
        if (inside && found.kind == HostKind::kAnnotation) found = {HostWork::kNone, HostKind::kRuntime};
        found.work = std::min(found.work, static_cast<HostWork>(around & kWork));
      }
      inside |= found.kind == HostKind::kRuntime;
      events[i] = static_cast<uint8_t>(static_cast<unsigned>(found.work) |
                                       (static_cast<unsigned>(found.kind) << kKindShift) |
                                       (inside ? kInRuntime : 0U) | (launch ? kLaunches : 0U));
    }
  });
}

const HostActivity& ActivityOf(const HostView& view) {
  return view.memo->Get<HostActivity>([&] { return HostActivity(view.trace()); });
}

}  // namespace gait::analyze
