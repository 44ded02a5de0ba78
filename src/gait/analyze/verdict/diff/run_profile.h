// RunProfile: the parts of a step of a run, made to be compared with the parts of another run.
//
//   row    the operations of one program name, scope, primitive and category together. Instruction names do
//          not matter: fusions may be renamed, renumbered, split or merged within a scope. Kernels of no
//          program are told apart by their names without template arguments.
//   time   of a row: the self times of its operations in a step; of an idle cause: its idle time in a step
//
// Without steps a row is about the whole capture, as the mean over the devices.
//
// Identity: the times of all rows and idle causes sum to the step, exactly. Shares of totals over device
// steps are rounded so that the sums stay exact (each partial sum is rounded down).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/host/idle_cause.h"
#include "gait/analyze/operations/operations.h"
#include "gait/analyze/verdict/doctor/balance.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"

namespace gait::analyze {

enum class StepPart : uint8_t { kCompute, kCommunication, kCopies, kUnknown, kIdle };
inline constexpr size_t kStepParts = 5;
std::string_view Name(StepPart part);  // "compute", "exposed communication", ...

struct ProfileKey {
  StepPart part = StepPart::kCompute;
  std::string program;    // "jit_train_step"; empty: none
  std::string scope;      // "jvp/layer_0/attention"
  std::string operation;  // "dot_general", or a kernel's name; of idle time its cause
  std::string category;   // of idle time the cause's stable name

  friend auto operator<=>(const ProfileKey&, const ProfileKey&) = default;
};

struct ProfileRow {
  Ps time;                // of a step
  double executions = 0;  // of a step

  ProfileRow& operator+=(const ProfileRow& other) {
    time += other.time;
    executions += other.executions;
    return *this;
  }
};

// A quantity other than time.
struct Quantity {
  std::string name;       // "memory peak"
  std::string unit;       // of report/table.h
  std::string_view verb;  // that shows more of it
  std::optional<double> value;
};

// The host's cost of launching a step's work on a GPU.
struct Launching {
  double calls = 0;
  double graphs = 0;  // of them: launches of a graph
  Ps time;            // of the calls
};

struct RunProfile {
  std::string name;  // what the person called the run
  bool has_steps = false;
  int64_t device_steps = 0;
  std::string portion;                    // what `step` and the rows are of: "a step", "in all"
  Ps step;                                // of a step; a device's whole window where there are none
  std::map<ProfileKey, ProfileRow> rows;  // idle causes too
  std::array<Ps, kBalanceTerms> balance;  // of a step, without the profiler's part where that is known
  std::vector<Ps> steps;                  // one by one
  std::vector<Quantity> quantities;       // the same names in the same order for every run
  std::optional<Launching> launching;     // of GPUs
  std::map<std::string, std::string> environment;
  // The flags of XLA and libtpu one by one, and jax.config; nullopt: the capture is not gait's, or an older
  // gait made it.
  std::optional<std::map<std::string, std::string>> flags;

  Ps PartTime(StepPart part) const;
  Ps MedianStep() const;  // the step where there are none
};

Result<RunProfile> ProfileOf(const RunView& view);
// `own`, with the steps of all of `sample` (of the same program), and a step that is their mean.
RunProfile Pooled(RunProfile own, const std::vector<RunProfile>& sample);
// The profiles of runs that are to be compared: that of a block that was captured more than once is pooled
// (block_sample.h), which the notes say. An error for a run in which no device did anything.
Result<std::vector<RunProfile>> ProfilesOf(const std::vector<const RunView*>& views,
                                           std::vector<std::string>& notes);

}  // namespace gait::analyze
