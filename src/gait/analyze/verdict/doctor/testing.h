// For tests of rules: the findings of one rule, and loops of steps made in a few lines.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {

inline constexpr int64_t kMicro = 1'000'000;  // picoseconds

inline Diagnosis DiagnosisOf(const RunView& view, const RuleChoice& choice = {}) {
  const Result<Patient> patient = Examine(view);
  EXPECT_TRUE(patient.has_value());
  Result<Diagnosis> diagnosis = Diagnose(*patient, choice);
  EXPECT_TRUE(diagnosis.has_value());
  return *std::move(diagnosis);
}

inline std::vector<Finding> FindingsOf(const RunView& view, const std::string& rule) {
  return DiagnosisOf(view, {.only = {rule}}).findings;
}

// Five steps of 1000 us. In each the host does something for `before` us, then launches a kernel of 300 us;
// the device idles meanwhile. The loop does not wait for results.
struct TestLoop {
  double before = 500;
  std::string doing = "data_loading";  // what the host is in; empty: nothing
  std::string kernel = "kernel";
  std::function<void(GpuRun&, double)> more{};  // further events of the step that begins at a time

  GpuRun Make() const {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, before + 50);  // shorter than the work: the loop does not wait
      if (!doing.empty()) run.Host("python", t + 1, before, doing);
      run.Host("python", t + before + 10, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, t + before + 16, 300, kernel, 100 + i);
      if (more) more(run, t);
    }
    return run;
  }
};

inline double CostMs(const Finding& finding) { return finding.cost.value_or(Ps()).milliseconds(); }

// A loop whose kernels fill the steps: the host does `doing` behind the device's back.
inline GpuRun Hidden(const std::string& doing) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 900);
    run.Host("python", t + 1, 500, doing);
    run.Host("python", t + 510, 5, "cuLaunchKernel", 100 + i);
    run.Work(0, 7, t + 1000, 999, "kernel", 100 + i);
  }
  return run;
}

}  // namespace gait::analyze
