// The names that JAX, XLA and the runtimes give to the parts of a compilation.
//
// A stage is the work of one thread; a phase is what the person waits for. The two differ while XLA
// autotunes: the calling thread waits in the autotuner, the autotuner's workers emit, translate and assemble
// candidates, and all of this is the phase autotuning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

enum class CompileStage : uint8_t {
  kTracing,      // Python runs and leaves a jaxpr: from the call to the begin of lowering
  kLowering,     // jaxpr to StableHLO
  kCache,        // key of the persistent cache, look-up, reading
  kPasses,       // HLO passes
  kScheduling,   // order of the instructions
  kEmission,     // HLO to LLVM IR, or to the compiler's own form
  kLlvm,         // LLVM: IR to PTX or machine code
  kMachineCode,  // PTX to machine code: ptxas, hsaco
  kLoading,      // onto the device
  kTrying,       // the autotuner itself: runs candidates, waits for them
  kOther,        // the rest of the compiler's call
};
inline constexpr size_t kCompileStages = 11;
std::string_view Name(CompileStage stage);  // "tracing", "machine_code", ...

enum class CompilePhase : uint8_t {
  kTracing,
  kLowering,
  kCache,
  kOptimization,
  kAutotuning,
  kCodeGeneration,
  kLoading,
  kOther
};
inline constexpr size_t kCompilePhases = 8;
std::string_view Name(CompilePhase phase);  // "tracing", "code_generation", ...
CompilePhase PhaseOf(CompileStage stage, bool autotuning);

// The role of an event in a compilation.
struct CompileRole {
  enum class Kind : uint8_t {
    kNone,
    kCall,      // of a jitted function: PjitFunction(f)
    kLower,     // lower_sharding_computation
    kBackend,   // backend_compile_and_load
    kExecute,   // the program runs: whatever was to be compiled is
    kCacheHit,  // frames of the Python tracer
    kCacheMiss,
    kStage,      // a part of the compiler
    kWeakStage,  // the same, by a name so common that it counts only while something is compiled
  };
  Kind kind = Kind::kNone;
  CompileStage stage = CompileStage::kOther;
  bool autotuning = false;

  bool is_stage() const { return kind == Kind::kStage || kind == Kind::kWeakStage; }
};
CompileRole RoleOf(std::string_view event_name);

// The roles of all names that a trace's threads use. Each name is looked at once.
class CompileRoles {
 public:
  explicit CompileRoles(const Trace& trace) : trace_(trace), known_(trace.strings().size()) {}

  const CompileRole& operator[](StringId name) {
    Entry& entry = known_[name.value];
    if (!entry.known) entry = {true, RoleOf(trace_.text(name))};
    return entry.role;
  }

 private:
  struct Entry {
    bool known = false;
    CompileRole role;
  };
  const Trace& trace_;
  std::vector<Entry> known_;
};

// "CompileAndLoad(jit_f)", "HLO Transforms:jit_f", "fusion (jit_f)": jit_f; empty for other names.
std::string_view ModuleInName(std::string_view event_name);
// "PjitFunction(f)": f.
std::string_view FunctionInName(std::string_view event_name);
// The name that JAX gives the program of a jitted function: "<lambda>" becomes "jit__lambda".
std::string ModuleOfFunction(std::string_view function);

}  // namespace gait::analyze
