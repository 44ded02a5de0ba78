#include "gait/analyze/verdict/doctor/ledger.h"

#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(Ledger, PiecesTileTheWindow) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Result<Patient> patient = Examine(view);
  ASSERT_TRUE(patient.has_value());
  EXPECT_EQ(patient->ledger.total(), patient->overview.total.window);
  Claims all = patient->ClaimIdle([](const IdleSlice&) { return true; });
  for (size_t i = 0; i < patient->operations().size(); ++i) {
    all.push_back(patient->ledger.Operation(i, patient->operations()[i].self));
  }
  EXPECT_EQ(patient->ledger.Cost(all), patient->ledger.step());
  const std::vector<const Claims*> fixed = {&all, &all};
  EXPECT_EQ(patient->ledger.StepWithout(fixed), Ps());  // the same claims twice count once
}

TEST(Ledger, AnOperationGivesNoMoreThanItHas) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Result<Patient> patient = Examine(view);
  ASSERT_TRUE(patient.has_value());
  EXPECT_EQ(patient->ledger.Operation(0, kMaxTime).amount, patient->operations()[0].self);
  EXPECT_EQ(patient->ledger.Operation(0, Ps(-5)).amount, Ps());
}

TEST(Ledger, PartsOfAPieceAddUp) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Ledger ledger = Examine(view)->ledger;
  const Ps whole = ledger.idle()[0].time;
  const Claims first = {{0, whole / 4}};
  const Claims second = {{0, whole / 4, whole / 4}};
  const Claims both = {{0, whole / 2}};
  EXPECT_FALSE(Ledger::Overlap(first, second));
  EXPECT_TRUE(Ledger::Overlap(first, both));
  const std::vector<const Claims*> parts = {&first, &second};
  const std::vector<const Claims*> all = {&first, &second, &both};
  EXPECT_NEAR(static_cast<double>((ledger.step() - ledger.StepWithout(parts)).value()),
              static_cast<double>((whole / 2 / ledger.steps()).value()), 2);
  EXPECT_EQ(ledger.StepWithout(all), ledger.StepWithout(parts));
  const Claims rest = ledger.Unclaimed(all);
  ASSERT_EQ(rest.size(), ledger.idle().size());
  EXPECT_EQ(rest[0].amount, whole - rest[0].from);
  EXPECT_FALSE(Ledger::Overlap(rest, both));
}

TEST(Ledger, TakesTheProfilersPartOffTheHost) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Result<Patient> patient = Examine(view);
  ASSERT_TRUE(patient.has_value());
  const Ps step = patient->ledger.captured_step();
  ProfilerCost cost;
  cost.captured = step;
  cost.uncaptured = step - Microseconds(350);
  const Ledger ledger(view, *patient->overview.operations, cost);
  EXPECT_TRUE(ledger.corrected());
  EXPECT_NEAR(static_cast<double>(ledger.step().value()), static_cast<double>(cost.uncaptured.value()), 100);
  // Half of the 700 us of idle time was the profiler's: of the input's 500 us half remain.
  const Claims input = patient->ClaimIdle([](const IdleSlice& p) { return p.cause == IdleCause::kInput; });
  EXPECT_NEAR(ledger.Cost(input).milliseconds(), 0.25, 0.02);
  EXPECT_EQ(ledger.Range(input).high, Examine(view)->ledger.Cost(input));  // no range was given: all of it
  // Where the profiler's part is an estimate, a cost is a range.
  cost.slower = {Microseconds(140), Microseconds(560)};
  const PsRange between = Ledger(view, *patient->overview.operations, cost).Range(input);
  EXPECT_NEAR(between.low.milliseconds(), 0.5 * 140 / 700, 0.02);
  EXPECT_NEAR(between.high.milliseconds(), 0.5 * 560 / 700, 0.02);
  // A profiler that made steps faster does not exist.
  cost.uncaptured = step * 2;
  const Ledger faster(view, *patient->overview.operations, cost);
  EXPECT_FALSE(faster.corrected());
}

TEST(Diagnosis, RanksByCostAndCountsSharedTimeOnce) {
  GpuRun run = TestLoop{}.Make();
  const Diagnosis diagnosis = DiagnosisOf(run.View());
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings[0].rule, "input");
  for (size_t i = 1; i < diagnosis.findings.size(); ++i) {
    EXPECT_GE(diagnosis.findings[i - 1].severity, diagnosis.findings[i].severity);
  }
  ASSERT_EQ(diagnosis.step_with_fixed.size(), diagnosis.findings.size() + 1);
  for (size_t i = 1; i < diagnosis.step_with_fixed.size(); ++i) {
    EXPECT_LE(diagnosis.step_with_fixed[i], diagnosis.step_with_fixed[i - 1]);
    EXPECT_GE(diagnosis.step_with_fixed[i], Ps());
  }
  EXPECT_EQ(diagnosis.step_with_fixed[1], diagnosis.step_with_fixed[0] - *diagnosis.findings[0].cost);
}

TEST(Diagnosis, ChoosesRules) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Diagnosis without = DiagnosisOf(view, {.ignore = {"input"}});
  for (const Finding& finding : without.findings) EXPECT_NE(finding.rule, "input");
  EXPECT_EQ(DiagnosisOf(view, {.only = {"input"}}).rules.size(), 1u);
  const Result<Patient> patient = Examine(view);
  EXPECT_FALSE(Diagnose(*patient, {.only = {"inputs"}}).has_value());
  EXPECT_FALSE(Diagnose(*patient, {.only = {"input"}, .ignore = {"input"}}).has_value());
}

TEST(Rules, HaveNamesOfTheirOwnAndAnExplanation) {
  std::vector<std::string_view> names;
  for (const Rule& rule : AllRules()) {
    EXPECT_FALSE(rule.explain.empty()) << rule.name;
    names.push_back(rule.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_GE(names.size(), 30u);
}

}  // namespace
}  // namespace gait::analyze
