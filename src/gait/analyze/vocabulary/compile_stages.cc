#include "gait/analyze/vocabulary/compile_stages.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace gait::analyze {
namespace {

using Kind = CompileRole::Kind;

struct Rule {
  enum class Where : uint8_t { kIs, kBegins, kHas, kEnds };
  Where where;
  std::string_view text;
  CompileRole role;

  bool Matches(std::string_view name) const {
    switch (where) {
      case Where::kIs:
        return name == text;
      case Where::kBegins:
        return name.starts_with(text);
      case Where::kHas:
        return name.find(text) != std::string_view::npos;
      case Where::kEnds:
        return name.ends_with(text);
    }
    return false;
  }
};

constexpr CompileRole Part(CompileStage stage) { return {Kind::kStage, stage, false}; }
constexpr CompileRole Weak(CompileStage stage) { return {Kind::kWeakStage, stage, false}; }
constexpr CompileRole kAutotuner = {Kind::kWeakStage, CompileStage::kTrying, true};

using enum Rule::Where;
using enum CompileStage;

// The first that fits. Names of JAX 0.4 to 0.12 and of XLA for NVIDIA, AMD, TPU and CPU.
constexpr Rule kRules[] = {
    {kBegins, "PjitFunction(", {Kind::kCall, kOther, false}},
    {kBegins, "PmapFunction(", {Kind::kCall, kOther, false}},
    {kBegins, "JaxPmap(", {Kind::kCall, kOther, false}},
    {kIs, "lower_sharding_computation", {Kind::kLower, kLowering, false}},
    {kIs, "lower_mesh_computation", {Kind::kLower, kLowering, false}},
    {kIs, "lower_parallel_callable", {Kind::kLower, kLowering, false}},
    {kIs, "lower_xla_callable", {Kind::kLower, kLowering, false}},
    {kIs, "backend_compile", {Kind::kBackend, kOther, false}},
    {kIs, "backend_compile_and_load", {Kind::kBackend, kOther, false}},
    {kIs, "ExecuteReplicated.__call__", {Kind::kExecute, kOther, false}},
    {kHas, "LoadedExecutable::Execute", {Kind::kExecute, kOther, false}},

    {kBegins, "config-assigner", kAutotuner},
    {kHas, "utotun", kAutotuner},
    {kHas, "algorithm-picker", kAutotuner},

    {kBegins, "HLO Transforms:", Part(kPasses)},
    {kBegins, "HLO passes", Part(kPasses)},
    {kIs, "OptimizeHloModule", Part(kPasses)},
    {kBegins, "RunHloPasses", Part(kPasses)},
    {kHas, "RunHloPasses", Part(kPasses)},
    {kBegins, "XLA::TPU run hlo passes", Part(kPasses)},
    {kBegins, "XLA::TPU HLO", Part(kPasses)},
    {kHas, "HloOptimize", Part(kPasses)},
    {kHas, "LayoutAssignment", Weak(kPasses)},
    {kHas, "Layout Assignment", Weak(kPasses)},
    {kIs, "XLA::TPU main fusion pass", Part(kPasses)},

    {kIs, "ScheduleGpuModule", Part(kScheduling)},
    {kIs, "RunLatencyHidingSchedulerPasses", Part(kScheduling)},
    {kBegins, "RunPreSchedulingP", Part(kScheduling)},
    {kBegins, "RunPostSchedulingP", Part(kScheduling)},
    {kHas, "memory space and buffer assignment", Part(kScheduling)},

    {kBegins, "PTX->CUBIN", Part(kMachineCode)},
    {kBegins, "PTX -> CUBIN", Part(kMachineCode)},
    {kHas, "ptxas", Part(kMachineCode)},
    {kHas, "CompileGpuAsm", Part(kMachineCode)},
    {kHas, "LinkGpuAsm", Part(kMachineCode)},
    {kHas, "sacoUsing", Part(kMachineCode)},
    {kHas, "ToHsaco", Part(kMachineCode)},

    {kBegins, "Compiling IR", Part(kLlvm)},
    {kIs, "CompileSingleModule", Part(kLlvm)},
    {kBegins, "JitCompiler::", Part(kLlvm)},
    {kIs, "Codegen", Weak(kLlvm)},
    {kIs, "TaskDispatcher::dispatch", Weak(kLlvm)},

    {kIs, "CompileToBackendResult", Part(kEmission)},
    {kIs, "CompileModuleToLlvmIr", Part(kEmission)},
    {kBegins, "CompileTargetBinary", Part(kEmission)},
    {kBegins, "CpuCompiler::", Part(kEmission)},
    {kBegins, "ThunkEmitter::", Weak(kEmission)},
    {kBegins, "FusionCompiler::", Part(kEmission)},
    {kBegins, "XLA::", Part(kEmission)},

    {kIs, "ActualLoad", Weak(kLoading)},
    {kBegins, "LoadProgramMaybeFromCache", Part(kLoading)},
    {kBegins, "LoadProgramCacheMiss", Part(kLoading)},
    {kEnds, "Client::LoadInternal", Part(kLoading)},
    {kHas, "DeserializeLoadedExecutable", Part(kLoading)},
    {kHas, "DeserializeExecutable", Part(kLoading)},
    {kHas, "LoadSerializedExecutable", Part(kLoading)},
    {kHas, "DeserializeAndLoad", Part(kLoading)},

    {kHas, "Client::Compile", Part(kOther)},
    {kIs, "PJRT_Client_Compile", Part(kOther)},
    {kHas, "Compiler::Compile", Part(kOther)},
};

}  // namespace

std::string_view Name(CompileStage stage) {
  static constexpr std::array<std::string_view, kCompileStages> kNames = {
      "tracing", "lowering",     "cache",   "passes", "scheduling", "emission",
      "llvm",    "machine_code", "loading", "trying", "other"};
  return kNames[static_cast<size_t>(stage)];
}

std::string_view Name(CompilePhase phase) {
  static constexpr std::array<std::string_view, kCompilePhases> kNames = {
      "tracing", "lowering", "cache", "optimization", "autotuning", "code_generation", "loading", "other"};
  return kNames[static_cast<size_t>(phase)];
}

CompilePhase PhaseOf(CompileStage stage, bool autotuning) {
  if (autotuning) return CompilePhase::kAutotuning;
  switch (stage) {
    case kTracing:
      return CompilePhase::kTracing;
    case kLowering:
      return CompilePhase::kLowering;
    case kCache:
      return CompilePhase::kCache;
    case kPasses:
      return CompilePhase::kOptimization;
    case kScheduling:
    case kEmission:
    case kLlvm:
    case kMachineCode:
      return CompilePhase::kCodeGeneration;
    case kLoading:
      return CompilePhase::kLoading;
    case kTrying:
      return CompilePhase::kAutotuning;
    case kOther:
      return CompilePhase::kOther;
  }
  return CompilePhase::kOther;
}

CompileRole RoleOf(std::string_view name) {
  if (name.starts_with('$')) {  // frames of the Python tracer
    if (name.ends_with(" log_persistent_cache_hit")) return {Kind::kCacheHit, kCache, false};
    if (name.ends_with(" log_persistent_cache_miss")) return {Kind::kCacheMiss, kCache, false};
    return {};
  }
  const auto* const rule = std::ranges::find_if(kRules, [&](const Rule& r) { return r.Matches(name); });
  return rule == std::end(kRules) ? CompileRole{} : rule->role;
}

std::string_view ModuleInName(std::string_view name) {
  constexpr std::string_view kTransforms = "HLO Transforms:";
  if (name.starts_with(kTransforms)) return name.substr(kTransforms.size());
  const size_t open = name.rfind('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {};
  return name.substr(open + 1, name.size() - open - 2);
}

std::string_view FunctionInName(std::string_view name) {
  const size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {};
  return name.substr(open + 1, name.size() - open - 2);
}

std::string ModuleOfFunction(std::string_view function) {
  std::string name = "jit_" + std::string(function);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '-') c = '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace gait::analyze
