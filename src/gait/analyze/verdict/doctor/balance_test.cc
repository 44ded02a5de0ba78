#include "gait/analyze/verdict/doctor/balance.h"

#include <algorithm>

#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

Ps SumOf(const Balance& balance) {
  Ps sum;
  for (const BalanceRow& row : balance.terms) sum += row.time;
  return sum;
}

TEST(Balance, TermsSumToTheStepAndExplainNoMoreThanThey) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Result<Patient> patient = Examine(view);
  ASSERT_TRUE(patient.has_value());
  const Balance balance = Diagnose(*patient)->balance;
  EXPECT_EQ(SumOf(balance), patient->ledger.total());
  EXPECT_EQ(balance.total, patient->ledger.total());
  EXPECT_EQ(balance.total / balance.steps, patient->ledger.step());
  for (const BalanceRow& row : balance.terms) EXPECT_LE(row.explained, row.time);
}

TEST(Balance, NamesWhatIsLostMost) {
  // Half of a step waits for input; the kernel's work is not known.
  GpuRun run = TestLoop{.before = 600}.Make();
  const Balance balance = DiagnosisOf(run.View()).balance;
  EXPECT_EQ(balance.largest(), BalanceTerm::kIdle);
  EXPECT_FALSE(balance.is_healthy());
  ASSERT_FALSE(balance.of(BalanceTerm::kIdle).most.empty());
  EXPECT_EQ(balance.of(BalanceTerm::kIdle).most[0], "host busy with input");
  EXPECT_GT(balance.of(BalanceTerm::kIdle).explained * 2, balance.of(BalanceTerm::kIdle).time);
  EXPECT_GT(balance.of(BalanceTerm::kUnrated).time, Ps());
  EXPECT_EQ(balance.of(BalanceTerm::kNecessary).time, Ps());
}

TEST(Balance, SaysNothingOnlyOfHealthySteps) {
  Balance balance;
  const auto set = [&](BalanceTerm term, int64_t time) {
    balance.terms[static_cast<size_t>(term)].time = Ps(time);
  };
  balance.total = Ps(100);
  set(BalanceTerm::kNecessary, 70);
  set(BalanceTerm::kInefficiency, 10);
  set(BalanceTerm::kUnrated, 20);
  EXPECT_TRUE(balance.is_healthy());
  set(BalanceTerm::kIdle, 6);
  set(BalanceTerm::kNecessary, 64);
  EXPECT_FALSE(balance.is_healthy());  // 16 % are lost
  set(BalanceTerm::kIdle, 0);
  set(BalanceTerm::kUnrated, 26);
  EXPECT_FALSE(balance.is_healthy());  // too much is not known
}

TEST(Balance, AClaimOfAnAvoidableRuleComesOffTheRest) {
  GpuRun run = TestLoop{}.Make();
  const RunView view = run.View();
  const Result<Patient> patient = Examine(view);
  ASSERT_TRUE(patient.has_value());
  const Ps self = patient->operations()[0].self;
  const RuleClaims remat{FindRule("rematerialisation"), {patient->ledger.Operation(0, self / 2)}};
  const RuleClaims slow{FindRule("low_occupancy"), {patient->ledger.Operation(0, self)}};
  std::vector<RuleClaims> both = {remat, slow};
  const Balance balance = MakeBalance(*patient, both);
  EXPECT_EQ(balance.of(BalanceTerm::kAvoidable).time, self / 2);
  EXPECT_EQ(balance.of(BalanceTerm::kAvoidable).explained, self / 2);
  EXPECT_EQ(balance.of(BalanceTerm::kUnrated).time, self - self / 2);
  EXPECT_EQ(balance.of(BalanceTerm::kUnrated).explained, self - self / 2);
  EXPECT_EQ(SumOf(balance), patient->ledger.total());
  // Too little for a finding: avoidable all the same, and not explained.
  both = {{remat.rule, remat.claims, false}};
  EXPECT_EQ(MakeBalance(*patient, both).of(BalanceTerm::kAvoidable).time, self / 2);
  EXPECT_EQ(MakeBalance(*patient, both).of(BalanceTerm::kAvoidable).explained, Ps());
}

TEST(Balance, EachDeviceHasItsOwn) {
  const auto on_another = [](GpuRun& run, double t) {
    const int64_t launch = 200 + static_cast<int64_t>(t);
    run.Host("python", t + 530, 5, "cuLaunchKernel", launch).Work(1, 8, t + 540, 200, "other", launch);
  };
  GpuRun run = TestLoop{.more = on_another}.Make();
  const RunView view = run.View();
  const Result<Patient> patient = Examine(view);
  ASSERT_TRUE(patient.has_value());
  const Balance balance = Diagnose(*patient)->balance;
  ASSERT_EQ(balance.devices.size(), 2U);
  for (size_t t = 0; t < kBalanceTerms; ++t) {
    Ps sum;
    for (const TermsOfDevice& device : balance.devices) sum += device.terms[t];
    EXPECT_EQ(sum, balance.terms[t].time);
  }
  for (const TermsOfDevice& device : balance.devices) {
    Ps sum;
    for (const Ps term : device.terms) sum += term;
    EXPECT_EQ(sum, device.total);
    const auto its = std::ranges::find(patient->overview.devices, device.device, &DeviceOverview::device);
    ASSERT_NE(its, patient->overview.devices.end());
    EXPECT_EQ(device.total, its->parts.window);
  }
}

}  // namespace
}  // namespace gait::analyze
