#include "gait/analyze/host/activity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>
#include <vector>

namespace gait::analyze {
namespace {

bool Upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool Lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool Letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool StartsWithOneOf(std::string_view text, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

// Names that no person writes: prefixes of JAX, XLA, PJRT, TSL and of the drivers' libraries.
constexpr std::array<std::string_view, 44> kRuntimePrefixes = {"PjRt",
                                                               "PJRT",
                                                               "Pjit",
                                                               "pjit",
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
                                                               "MemoryDeallocation",
                                                               "ThenExecuteCallback",
                                                               "ComputeSemaphore",
                                                               "Wait for ",
                                                               "Handle input",
                                                               "RecordUsage",
                                                               "ParseArguments",
                                                               "DevicePut",
                                                               "shard_args",
                                                               "np.asarray(jax.Array)",
                                                               "backend_compile",
                                                               "ArrayImpl.",
                                                               "lower_sharding_computation",
                                                               "H2D ",
                                                               "D2H ",
                                                               "D2D ",
                                                               "nccl"};

// Libraries whose calls are a short prefix and a capital: cuLaunchKernel, hipModuleLaunchKernel.
constexpr std::array<std::string_view, 6> kDriverPrefixes = {"cu", "cuda", "hip", "hsa", "roc", "rccl"};

// Names of threads that belong to the runtime.
constexpr std::array<std::string_view, 16> kPools = {
    "pjrt", "tf_", "py_xla", "Host Threads/", "tfrt",  "xla",  "XLA",   "Eigen",
    "grpc", "TSL", "tsl",    "switchto",      "cupti", "nccl", "futex", "EventMgr"};

constexpr std::array<std::string_view, 14> kRuntimeArguments = {
    "correlation_id", "hlo_op",      "hlo_module", "run_id",        "device_ordinal",
    "program_id",     "_p",          "_c",         "_pt",           "_ct",
    "_src",           "module_name", "context_id", "scope_range_id"};

// "load_batch", "__next__" and "BufferFromHostBuffer" as their words, in lower case.
std::vector<std::string> Words(std::string_view name) {
  std::vector<std::string> words;
  bool inside = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!Letter(c)) {
      inside = false;
      continue;
    }
    const bool hump = inside && Upper(c) && Lower(name[i - 1]);
    if (!inside || hump) words.emplace_back();
    words.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    inside = true;
  }
  return words;
}

class Text {
 public:
  explicit Text(std::string_view name) : words_(Words(name)) {}

  bool AnyOf(std::initializer_list<std::string_view> wanted) const {
    return std::ranges::any_of(
        words_, [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
  }
  // The words in a row.
  bool Phrase(std::initializer_list<std::string_view> phrase) const {
    return !std::ranges::search(words_, phrase).empty();
  }

 private:
  std::vector<std::string> words_;
};

bool SaysToDevice(const Text& text) {
  return text.Phrase({"device", "put"}) || text.Phrase({"to", "device"}) || text.Phrase({"to", "gpu"}) ||
         text.Phrase({"to", "tpu"}) || text.Phrase({"shard", "args"}) || text.Phrase({"from", "host"}) ||
         text.AnyOf({"transfer", "h2d", "upload", "linearize"});
}

bool SaysWait(const Text& text) {
  return text.Phrase({"block", "until", "ready"}) || text.Phrase({"block", "host"}) ||
         text.Phrase({"device", "get"}) || text.Phrase({"try", "to", "block"}) ||
         text.AnyOf({"await", "wait", "waiting", "sync", "synchronize", "synchronization", "asarray", "d2h"});
}

bool SaysFetch(const Text& text) {
  return text.AnyOf({"fetch", "fetching", "load", "loading", "loader", "dataloader", "data", "dataset",
                     "next", "batch", "batches", "iterator", "infeed", "input", "inputs", "prefetch", "read",
                     "reader"});
}

HostPart OfAnnotation(const Text& text) {
  if (SaysToDevice(text)) return HostPart::kToDevice;
  // "train_on_batch" computes; "wait_for_data" waits for input, not for the device.
  const bool computes = text.AnyOf({"train", "step", "compute", "forward", "backward", "update", "optimizer",
                                    "loss", "eval", "model", "grad", "gradient"});
  if (SaysFetch(text) && !computes) return HostPart::kFetch;
  if (text.AnyOf({"compile", "compilation", "compiling"})) return HostPart::kCompile;
  if (SaysWait(text)) return HostPart::kWait;
  if (text.AnyOf({"dispatch"})) return HostPart::kDispatch;
  return HostPart::kNone;
}

// "$train.py:78 step" is about what follows the space.
HostPart OfPython(std::string_view name) {
  const size_t space = name.find(' ');
  const std::string_view function = space == std::string_view::npos ? name : name.substr(space + 1);
  const Text text(function);
  if (name.starts_with("$gc ") || text.Phrase({"gc", "callback"})) return HostPart::kCollect;
  if (text.Phrase({"device", "put"}) || text.Phrase({"to", "device"})) return HostPart::kToDevice;
  if (text.Phrase({"backend", "compile"})) return HostPart::kCompile;
  if (text.Phrase({"block", "until", "ready"}) || text.Phrase({"device", "get"})) return HostPart::kWait;
  const bool fetches = text.AnyOf({"next", "fetch", "dataloader", "infeed"}) ||
                       text.Phrase({"load", "batch"}) || text.Phrase({"get", "batch"}) ||
                       text.Phrase({"data", "loader"}) || text.Phrase({"data", "loading"}) ||
                       text.Phrase({"load", "data"});
  return fetches ? HostPart::kFetch : HostPart::kNone;
}

HostPart OfRuntime(const Text& text) {
  if (text.Phrase({"collect", "garbage"}) || text.Phrase({"garbage", "collection"}))
    return HostPart::kCollect;
  if (text.AnyOf({"compile", "compiler", "compiling", "lowering"}) && !text.Phrase({"from", "host"})) {
    return HostPart::kCompile;
  }
  if (text.Phrase({"lower", "sharding"})) return HostPart::kCompile;
  if (SaysToDevice(text) || text.Phrase({"pjit", "shard", "arg"})) return HostPart::kToDevice;
  if (SaysWait(text) || text.Phrase({"semaphore", "acquire"})) return HostPart::kWait;
  if (text.AnyOf({"infeed"}) || text.Phrase({"get", "next"})) return HostPart::kFetch;
  if (text.AnyOf({"execute", "pjit", "pmap"}) || text.Phrase({"launch"})) return HostPart::kDispatch;
  return HostPart::kNone;
}

}  // namespace

std::string_view Name(ActivityKind kind) {
  constexpr std::array<std::string_view, kActivityKinds> kNames = {"step",    "annotation", "python",
                                                                   "runtime", "operation",  "profiler"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view Name(HostPart part) {
  constexpr std::array<std::string_view, kHostParts + 1> kNames = {
      "fetch", "to_device", "dispatch", "compile", "wait", "collect", "rest"};
  return kNames[static_cast<size_t>(part)];
}

bool IsPythonFrame(std::string_view name) { return name.starts_with('$'); }

bool IsProfilerName(std::string_view name) { return name == "BUFFER_FLUSH" || name == "<UNKNOWN>"; }

bool IsRuntimeName(std::string_view name) {
  if (name.find("::") != std::string_view::npos || StartsWithOneOf(name, kRuntimePrefixes)) return true;
  if (name.starts_with('[') && name.find("] ") != std::string_view::npos) return true;  // "[0] Execute"
  if (name.ends_with(":XLA GPU module")) return true;
  return std::ranges::any_of(kDriverPrefixes, [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && Upper(name[prefix.size()]);
  });
}

bool IsRuntimeThread(std::string_view name) { return StartsWithOneOf(name, kPools); }

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

HostPart PartOf(ActivityKind kind, std::string_view name) {
  switch (kind) {
    case ActivityKind::kStep:
    case ActivityKind::kOperation:
    case ActivityKind::kProfiler:
      return HostPart::kNone;
    case ActivityKind::kAnnotation:
      return OfAnnotation(Text(name));
    case ActivityKind::kPython:
      return OfPython(name);
    case ActivityKind::kRuntime:
      return OfRuntime(Text(name.substr(0, name.find('('))));  // not what is called
  }
  return HostPart::kNone;
}

}  // namespace gait::analyze
