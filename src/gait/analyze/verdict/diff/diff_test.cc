#include "gait/analyze/verdict/diff/diff.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "gait/analyze/verdict/diff/bootstrap.h"
#include "gait/analyze/verdict/diff/diff_report.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

constexpr int64_t kMicro = 1'000'000;

struct Op {
  std::string name;   // of the instruction
  std::string scope;  // op_name
  int64_t time;       // microseconds
};

// Steps of the operations one after the other, `idle` microseconds between them; each step `jitter` longer
// than the last but one.
TestCapture Capture(const std::vector<Op>& ops, int64_t idle = 0, int64_t jitter = 0, int64_t steps = 7,
                    const std::string& program = "jit_f") {
  ProgramMaker maker(program);
  std::vector<InstructionIndex> added;
  for (const Op& op : ops) added.push_back(maker.Add(op.name, "sine", op.scope));
  TestCapture capture;
  capture.programs.push_back(maker.Finish());
  int64_t t = 0;
  for (int64_t s = 0; s < steps; ++s) {
    capture.calls.push_back({t, t + 10, "train", -1, s});
    capture.calls.push_back({t + 1, t + 2, "cuLaunchKernel", s});
    t += 10 + idle * kMicro + (s % 2) * jitter * kMicro;
    for (size_t i = 0; i < ops.size(); ++i) {
      capture.events.push_back({t, t + ops[i].time * kMicro, "kernel", 0, added[i], s});
      t += ops[i].time * kMicro;
    }
  }
  return capture;
}

RunProfile Profile(TestCapture capture) {
  const TestView view(std::move(capture));
  return *ProfileOf(view.view);
}

void ExpectSums(const RunDiff& diff) {
  Ps a;
  Ps b;
  for (const DiffRow& row : diff.rows) {
    a += row.a;
    b += row.b;
  }
  EXPECT_EQ(a, diff.a->step);
  EXPECT_EQ(b, diff.b->step);
  Ps parts;
  for (size_t p = 0; p < kStepParts; ++p) parts += diff.PartDelta(static_cast<StepPart>(p));
  EXPECT_EQ(parts, diff.delta());
}

const std::vector<Op> kBase = {{"fusion.1", "jit(f)/layer_0/sin", 100},
                               {"fusion.2", "jit(f)/layer_1/sin", 200}};

TEST(Diff, TheNumberOfAProgramIsNoChange) {
  const RunProfile a = Profile(Capture(kBase, 0, 0, 7, "jit_f.3"));
  const RunProfile b = Profile(Capture(kBase, 0, 0, 7, "jit_f.12"));
  for (const DiffRow& row : Compare(a, b).rows) {
    EXPECT_EQ(row.a, row.b);
    EXPECT_TRUE(row.key.program.empty() || row.key.program == "jit_f");
  }
  // What follows the dot of another name is a part of it.
  const RunProfile c = Profile(Capture(kBase, 0, 0, 7, "jit_f.train"));
  const RunProfile d = Profile(Capture(kBase, 0, 0, 7, "jit_f."));
  EXPECT_EQ(Compare(c, c).rows[0].key.program, "jit_f.train");
  EXPECT_EQ(Compare(d, d).rows[0].key.program, "jit_f.");
}

TEST(Diff, ARunAgainstItselfIsZeroEverywhere) {
  const RunProfile run = Profile(Capture(kBase, 7, 3));
  const RunDiff diff = Compare(run, run);
  ExpectSums(diff);
  EXPECT_EQ(diff.delta(), Ps());
  EXPECT_EQ(diff.verdict, DiffVerdict::kSame);
  for (const DiffRow& row : diff.rows) {
    EXPECT_EQ(row.delta(), Ps());
    EXPECT_EQ(row.change, Change::kSame);
  }
  EXPECT_EQ(WhyNotHeld(diff, 0), "");
}

TEST(Diff, RowsSumToTheChangeWhateverDoesNotDivide) {
  const RunProfile a =
      Profile(Capture({{"fusion.1", "jit(f)/layer_0/sin", 100}, {"x", "jit(f)/cos", 33}}, 7, 3, 8));
  const RunProfile b =
      Profile(Capture({{"fusion.1", "jit(f)/layer_0/sin", 101}, {"y", "jit(f)/tan", 17}}, 11, 1, 6));
  const RunDiff diff = Compare(a, b);
  ExpectSums(diff);
}

TEST(Diff, RenamedAndRenumberedFusionsAreTheSame) {
  const RunProfile a = Profile(Capture(kBase));
  const RunProfile b = Profile(
      Capture({{"loop_fusion.7", "jit(f)/layer_0/sin", 100}, {"other.3", "jit(f)/layer_1/sin", 300}}));
  const RunDiff diff = Compare(a, b);
  ExpectSums(diff);
  EXPECT_EQ(diff.delta(), Ps(100 * kMicro));
  EXPECT_EQ(diff.rows[0].key.scope, "layer_1");
  EXPECT_EQ(diff.rows[0].change, Change::kSlower);
  for (const DiffRow& row : diff.rows) {
    EXPECT_NE(row.change, Change::kAdded);
    EXPECT_NE(row.change, Change::kRemoved);
  }
  EXPECT_EQ(diff.verdict, DiffVerdict::kSlower);
  EXPECT_NE(WhyNotHeld(diff, 0.3), "");
  EXPECT_EQ(WhyNotHeld(diff, 0.4), "");
  EXPECT_EQ(Compare(b, a).verdict, DiffVerdict::kFaster);
}

TEST(Diff, TellsWhatCameWhatWentAndWhatRunsMoreOften) {
  const RunProfile a = Profile(Capture({{"f.1", "jit(f)/a/sin", 50}, {"f.2", "jit(f)/b/sin", 50}}));
  const RunProfile b = Profile(
      Capture({{"f.1", "jit(f)/a/sin", 50}, {"f.2", "jit(f)/a/sin", 50}, {"f.3", "jit(f)/c/sin", 50}}));
  const RunDiff diff = Compare(a, b);
  std::map<std::string, Change> changes;
  for (const DiffRow& row : diff.rows) changes[row.key.scope] = row.change;
  EXPECT_EQ(changes["a"], Change::kMoreOften);
  EXPECT_EQ(changes["b"], Change::kRemoved);
  EXPECT_EQ(changes["c"], Change::kAdded);
}

TEST(Diff, ProgramsWithOtherNamesAreMatchedByWhatIsInThem) {
  const RunProfile a = Profile(Capture(kBase, 0, 0, 7, "jit_step"));
  const RunProfile b = Profile(Capture(kBase, 0, 0, 7, "jit_sharded_step"));
  const RunDiff diff = Compare(a, b);
  ExpectSums(diff);
  for (const DiffRow& row : diff.rows) {
    EXPECT_EQ(row.change, Change::kSame);
    EXPECT_TRUE(row.key.program.empty() || row.key.program == "jit_step → jit_sharded_step");
  }
  // What has nothing in common stays apart.
  const RunProfile c = Profile(Capture({{"x", "jit(f)/other/tan", 100}}, 0, 0, 7, "jit_other"));
  for (const DiffRow& row : Compare(a, c).rows) EXPECT_EQ(row.key.program.find("→"), std::string::npos);
}

TEST(Diff, AFunctionThatAnotherOneCallsIsTheSame) {
  const RunProfile a = Profile(Capture({{"f.1", "jit(f)/layer_0/sin", 100}, {"f.2", "jit(f)/head/sin", 50}}));
  const RunProfile b = Profile(Capture({{"f.1", "jit(f)/jit(step)/layer_0/sin", 70},
                                        {"f.3", "jit(f)/jit(other)/layer_0/sin", 10},
                                        {"f.2", "jit(f)/head/sin", 50},
                                        {"f.4", "jit(f)/jit(step)/extra/sin", 20}}));
  const RunDiff diff = Compare(a, b);
  ExpectSums(diff);
  std::map<std::string, Ps> changes;
  for (const DiffRow& row : diff.rows) changes[row.key.scope] += row.delta();
  EXPECT_EQ(changes["layer_0"], Ps(-20 * kMicro));
  EXPECT_EQ(changes["head"], Ps());
  EXPECT_EQ(changes["jit(step)/extra"], Ps(20 * kMicro));
}

TEST(Diff, WhatCannotBeJudgedIsNotHeld) {
  RunProfile a = Profile(Capture(kBase));
  RunProfile b = Profile(Capture(kBase, 5, 0));
  a.name = "before";
  b.name = "after";
  b.steps.resize(1);
  const RunDiff one = Compare(a, b);
  EXPECT_EQ(one.verdict, DiffVerdict::kUnknown);
  EXPECT_NE(WhyNotHeld(one, 9).find("after has one step"), std::string::npos);
  b.steps.clear();
  b.has_steps = false;
  const RunDiff none = Compare(a, b);
  EXPECT_FALSE(none.comparable());
  EXPECT_EQ(WhyNotHeld(none, 9), "cannot be judged: after has no steps");
}

TEST(Diff, ADifferenceBelowTheNoiseIsNone) {
  const RunProfile a = Profile(Capture(kBase, 10, 50));
  const RunProfile b = Profile(Capture(kBase, 11, 50));
  const RunDiff diff = Compare(a, b);
  EXPECT_GT(diff.delta(), Ps());
  EXPECT_EQ(diff.verdict, DiffVerdict::kSame);
}

// Every fourth step evaluates, now for a short time and now for a long one: the means say nothing.
std::vector<Ps> WithEvaluations(int64_t step, int64_t seed) {
  std::vector<Ps> steps;
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t evaluation = i % 4 == 3 ? 1'000 * ((i * 7 + seed) % 60) : 0;
    steps.push_back(Ps((step + i % 5 + evaluation) * kMicro));
  }
  return steps;
}

TEST(Diff, FindsThatMostStepsAreLongerWhateverFewOnesDo) {
  RunProfile a = Profile(Capture(kBase));
  RunProfile b = Profile(Capture(kBase));
  a.steps = WithEvaluations(2'090, 1);
  b.steps = WithEvaluations(3'290, 17);
  const RunDiff diff = Compare(a, b);
  ASSERT_TRUE(diff.interval->contains(Ps()));
  EXPECT_TRUE(diff.of_most_steps);
  EXPECT_EQ(diff.verdict, DiffVerdict::kSlower);
  EXPECT_NEAR(diff.ratio(), 1.57, 0.02);
  EXPECT_NE(WhyNotHeld(diff, 0.03).find("most steps take 3.29 ms instead of 2.09 ms"), std::string::npos);
  EXPECT_EQ(WhyNotHeld(diff, 0.6), "");
  EXPECT_EQ(Compare(b, a).verdict, DiffVerdict::kFaster);
  b.steps = WithEvaluations(2'100, 17);  // half a percent is nothing
  EXPECT_EQ(Compare(a, b).verdict, DiffVerdict::kSame);
}

TEST(Diff, SaysFirstThatProgramsOrDevicesAreOthers) {
  RunProfile a = Profile(Capture(kBase));
  RunProfile b = Profile(Capture({{"other.1", "jit(g)/x/cos", 100}}, 0, 0, 7, "jit_g"));
  EXPECT_EQ(Compare(a, a).Unlike(), "");
  EXPECT_EQ(Compare(a, b).Unlike(), "The runs have other programs (jit_f, jit_g). ");
  a.environment["devices"] = "1 × H200";
  b.environment["devices"] = "1 × TPU v5e";
  EXPECT_EQ(Compare(a, b).Unlike(),
            "The runs have other devices (1 × H200, 1 × TPU v5e) and other programs (jit_f, jit_g). ");
}

TEST(Diff, CapturesWithoutWorkAreNotCompared) {
  const TestView worked(Capture(kBase));
  const TestView idle(Capture({}));
  std::vector<std::string> notes;
  EXPECT_TRUE(ProfilesOf({&worked.view, &worked.view}, notes));
  EXPECT_FALSE(ProfilesOf({&worked.view, &idle.view}, notes));
}

// Rows of the environment table, and what it says when it has none.
std::pair<std::vector<std::vector<std::string>>, std::string> EnvironmentOfDiff(const char* a,
                                                                                const char* b) {
  const auto run = [](const char* flags) {
    auto view = std::make_unique<TestView>(Capture(kBase));
    if (flags != nullptr) {
      view->run.manifest.flags = {
          {"XLA_FLAGS", flags}, {"LIBTPU_INIT_ARGS", ""}, {"jax_enable_x64", "False"}};
    }
    return view;
  };
  const auto first = run(a);
  const auto second = run(b);
  const RunProfile before = *ProfileOf(first->view);
  const RunProfile after = *ProfileOf(second->view);
  const report::Document document = DiffDocument(first->run, second->run, Compare(before, after));
  const auto table = std::ranges::find(document.tables, "environment", &report::Table::name);
  std::vector<std::vector<std::string>> rows;
  for (const report::Row& row : table->rows) {
    rows.emplace_back();
    for (const report::Cell& cell : row) rows.back().push_back(cell.text());
  }
  return {rows, table->if_empty};
}

// Steps of 100 us behind so many in which the host compiles or, otherwise, does something else.
TestCapture CaptureBehind(const std::string& call, int64_t micros) {
  TestCapture capture = Capture({{"sin.1", "jit(f)/sin", 100}}, micros);
  std::vector<TestCall> calls;
  for (const TestCall& made : capture.calls) {
    const int64_t late = made.begin + micros * kMicro;
    if (made.step >= 0) calls.push_back({made.begin, late + 9, made.name, -1, made.step});
    if (made.step < 0) calls.push_back({made.begin, late - 2, call});
    if (made.step < 0) calls.push_back({late, late + 1, made.name, made.correlation});
  }
  capture.calls = std::move(calls);
  return capture;
}

TEST(Diff, TellsWhatIsLeftWithoutCompilation) {
  const auto answer = [](const char* call) {
    const TestView first(CaptureBehind(call, 900));
    const TestView second(CaptureBehind(call, 400));
    const RunProfile a = *ProfileOf(first.view);
    const RunProfile b = *ProfileOf(second.view);
    return DiffDocument(first.run, second.run, Compare(a, b)).answer;
  };
  EXPECT_TRUE(answer("backend_compile").ends_with("while the host compiles; without that: 100 µs → 100 µs."))
      << answer("backend_compile");
  EXPECT_FALSE(answer("data_loading").contains("compiles"));
}

TEST(Diff, FlagsAreComparedOneByOne) {
  using Rows = std::vector<std::vector<std::string>>;
  EXPECT_EQ(EnvironmentOfDiff("--xla_a=1 --xla_b", "--xla_b --xla_a=2").first,
            (Rows{{"XLA_FLAGS --xla_a", "1", "2"}}));
  EXPECT_EQ(EnvironmentOfDiff("", "--xla_b  --xla_c='x y'").first,
            (Rows{{"XLA_FLAGS --xla_b", "not set", "set"}, {"XLA_FLAGS --xla_c", "not set", "'x y'"}}));
  EXPECT_EQ(EnvironmentOfDiff("flags.txt", "").first, (Rows{{"XLA_FLAGS", "flags.txt", "not set"}}));
  const auto [rows, same] = EnvironmentOfDiff("--xla_a=1 --xla_b", " --xla_b --xla_a=1");
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(same, "same versions, options, flags and devices");
}

TEST(Diff, FlagsThatOneSideDoesNotTellAreNotCalledTheSame) {
  for (const auto& [a, b] : {std::pair<const char*, const char*>(nullptr, nullptr), {nullptr, "--xla_a=1"}}) {
    const auto [rows, same] = EnvironmentOfDiff(a, b);
    EXPECT_TRUE(rows.empty());
    EXPECT_NE(same.find("could not be compared"), std::string::npos) << same;
  }
}

TEST(Bootstrap, IsTheSameEveryTimeAndHoldsTheDifference) {
  std::vector<Ps> a;
  std::vector<Ps> b;
  for (int64_t i = 0; i < 20; ++i) {
    a.emplace_back(1000 + i % 5);
    b.emplace_back(1100 + i % 7);
  }
  const auto first = DifferenceOfMeans(a, b);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, *DifferenceOfMeans(a, b));
  EXPECT_LT(first->begin, Ps(101));
  EXPECT_GT(first->end, Ps(100));
  EXPECT_LT((first->end - first->begin).value(), 10);
  EXPECT_FALSE(DifferenceOfMeans(std::span(a).first(1), b));
}

// Equal runs are called different about as often as 95 % allows, however few steps they have.
TEST(Bootstrap, SeldomFindsADifferenceBetweenEqualRuns) {
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same numbers every time
  for (const size_t steps : {2, 3, 5, 8}) {
    int found = 0;
    const auto times = [&] {
      std::vector<Ps> result;
      for (size_t i = 0; i < steps; ++i) {
        int64_t sum = 0;  // of twelve even ones: nearly normal, and the same with every library
        for (int k = 0; k < 12; ++k) sum += static_cast<int64_t>(random() % 1'000'000);
        result.emplace_back(100'000'000 + sum);
      }
      return result;
    };
    for (int trial = 0; trial < 100; ++trial) {
      const std::vector<Ps> a = times();
      const auto interval = DifferenceOfMeans(a, times());
      found += interval->begin > Ps() || interval->end < Ps() ? 1 : 0;
    }
    EXPECT_LE(found, 10) << steps << " steps";
  }
}

TEST(Shift, SeldomFindsADifferenceBetweenEqualRuns) {
  std::mt19937_64 random(11);  // NOLINT(cert-msc51-cpp): the same numbers every time
  for (const size_t steps : {6, 8, 20}) {
    int found = 0;
    const auto times = [&] {  // steps of two lengths, which take turns by chance
      std::vector<Ps> result;
      for (size_t i = 0; i < steps; ++i) {
        result.emplace_back((random() % 2 == 0 ? 100'000'000 : 150'000'000) +
                            static_cast<int64_t>(random() % 9'000'000));
      }
      return result;
    };
    for (int trial = 0; trial < 300; ++trial) {
      const std::vector<Ps> a = times();
      const auto shift = ShiftOf(a, times());
      ASSERT_TRUE(shift);
      found += shift->may_be_none() ? 0 : 1;
    }
    EXPECT_LE(found, 7) << steps << " steps";
  }
}

TEST(Shift, IsWhatIsBetweenMostValues) {
  std::vector<Ps> a;
  std::vector<Ps> b;
  for (int64_t i = 0; i < 3'000; ++i) {
    a.emplace_back(1'000 + i % 10);
    b.emplace_back((i % 3 == 0 ? 90'000 : 1'200) + i % 10);
  }
  const auto shift = ShiftOf(a, b);
  ASSERT_TRUE(shift);
  EXPECT_NEAR(static_cast<double>(shift->time.value()), 204, 6);
  EXPECT_FALSE(shift->may_be_none());
  EXPECT_FALSE(ShiftOf(std::span(a).first(4), b));
  EXPECT_FALSE(ShiftOf({}, b));
}

TEST(ParseShare, TakesPercentAndNumbers) {
  EXPECT_DOUBLE_EQ(*ParseShare("3%"), 0.03);
  EXPECT_DOUBLE_EQ(*ParseShare("0.05"), 0.05);
  for (const char* bad : {"", "%", "3 per cent", "-1%", "nan", "3", "1"})
    EXPECT_FALSE(ParseShare(bad)) << bad;
}

}  // namespace
}  // namespace gait::analyze
