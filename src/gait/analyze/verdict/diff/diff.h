// Diff: how a step changed from one run to another.
//
//   delta     step of b - step of a; the deltas of the rows sum to it, exactly (run_profile.h)
//   noise     half the width of the interval of the difference (bootstrap.h)
//   verdict   slower or faster where the interval does not hold 0, or else where most steps are longer or
//             shorter by 2 % or more (shift.h), which a few long ones hide in the means; no difference
//             otherwise; unknown where a run has no steps or one, and so does not show how much steps vary
//
// Rows are matched by program, scope and operation. Programs that only one run has are matched by their
// content, and scopes that only one run has are matched without the functions that call them (partners.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/verdict/diff/partners.h"
#include "gait/analyze/verdict/diff/run_profile.h"
#include "gait/analyze/verdict/diff/shift.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

enum class DiffVerdict : uint8_t { kFaster, kSlower, kSame, kUnknown };
std::string_view Name(DiffVerdict verdict);  // "faster", "slower", "no difference beyond noise", "unknown"

enum class Change : uint8_t { kAdded, kRemoved, kMoreOften, kLessOften, kSlower, kFaster, kSame };
std::string_view Name(Change change);  // "added", ...

struct DiffRow {
  ProfileKey key;
  Ps a, b;  // of a step
  double a_executions = 0, b_executions = 0;
  Change change = Change::kSame;

  Ps delta() const { return b - a; }
};

struct RunDiff {
  const RunProfile* a;
  const RunProfile* b;
  std::vector<DiffRow> rows{};         // what changed first, by size; then the rest
  std::optional<Interval> interval{};  // of the difference of the steps' means
  std::optional<Shift> shift{};        // of most steps
  DiffVerdict verdict = DiffVerdict::kUnknown;
  bool of_most_steps = false;        // the verdict is about them: the means do not differ beyond noise
  std::vector<Partners> partners{};  // programs whose rows go by the common name

  // What a run calls the program of a row, by Partners::a or b.
  std::string_view ProgramIn(std::string Partners::* run, std::string_view program) const;
  Ps delta() const { return b->step - a->step; }
  double ratio() const;  // step of b over step of a; of their medians where the verdict is of most steps
  std::optional<Ps> noise() const;
  Ps PartDelta(StepPart part) const;
  // Whether both profiles are of a step, or both of a whole capture. Otherwise a difference has no meaning.
  bool comparable() const { return a->has_steps == b->has_steps; }
  // What is to be known before the numbers, as a sentence; empty: both are alike.
  std::string Unlike() const;
  // Why the verdict is unknown: "B has no steps"; empty: the verdict is known.
  std::string WhyUnknown() const;
};

// The profiles must outlive the result.
RunDiff Compare(const RunProfile& a, const RunProfile& b);

// "3%" or "0.03" as 0.03. A usage error for anything else. A plain number of 1 or more is an error too: "3"
// may mean 3 % or 300 %.
Result<double> ParseShare(std::string_view text);

// Why the second run does not pass: it is slower than the first by more than the share, beyond noise, or the
// comparison is not possible. Empty: the run passes.
std::string WhyNotHeld(const RunDiff& diff, double share);

}  // namespace gait::analyze
