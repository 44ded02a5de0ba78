#include "gait/analyze/operations/operations.h"

#include <gtest/gtest.h>

#include <random>

#include "gait/analyze/operations/execution_list.h"
#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/question/roofline/roofline_report.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

const OpTotal& Find(const Operations& operations, std::string_view name) {
  for (const OpTotal& total : operations.totals) {
    if (total.what.name == name) return total;
  }
  ADD_FAILURE() << "no operation " << name;
  return operations.totals.at(0);
}

// What one execution took, for each; as many as the operation's total says, and none of them all longer than
// their mean.
std::vector<Ps> ExecutionTimes(const RunView& view, std::string_view name) {
  const OperationIndex index(view);
  std::vector<Ps> times;
  for (const OneExecution& one : ListExecutions(view, index, FindOperation(index, name, "").value()))
    times.push_back(one.time);
  const OpTotal& total = Find(FindOperations(view), name);
  EXPECT_EQ(times.size(), total.executions);
  EXPECT_GE(*std::ranges::max_element(times), total.time / static_cast<int64_t>(times.size()));
  return times;
}

Ps SumOfSelf(const Operations& operations) {
  Ps sum;
  for (const OpTotal& total : operations.totals) sum += total.self;
  return sum;
}

// A program of two products, the second one in a loop, and a loop around it.
struct Loop {
  ProgramMaker maker{"jit_f", 7};
  InstructionIndex first = maker.Add("dot.1", "dot", "jit(f)/a/dot_general");
  InstructionIndex loop = maker.Add("while.1", "while", "jit(f)/while");
  InstructionIndex inner;

  Loop() {
    maker.SetCost(first, 100, 10);
    maker.SetCost(loop, 5000, 50);
    maker.at(loop).called = {maker.Begin("body")};
    inner = maker.Add("dot.2", "dot", "jit(f)/while/body/b/dot_general");
    maker.SetCost(inner, 1000, 10);
  }
};

TEST(Operations, OverlapIsOwnedOnceAndTimeIsAUnion) {
  Loop f;
  TestCapture capture;
  // Overlap on one stream, on two streams, nesting, and an event of no length.
  capture.events = {{0, 100, "k1", 0, f.first},
                    {50, 150, "k2", 0, f.inner},
                    {60, 80, "k1", 0, f.first, -1, AttributionKind::kByName, 0, 1},
                    {150, 150, "k1", 0, f.first},
                    {200, 210, "MemcpyH2D"}};
  capture.programs.push_back(f.maker.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  EXPECT_EQ(operations.busy, Ps(160));
  EXPECT_EQ(operations.window, Ps(210));
  EXPECT_EQ(SumOfSelf(operations), operations.busy);
  EXPECT_EQ(Find(operations, "dot.1").self, Ps(50 + 20));
  EXPECT_EQ(Find(operations, "dot.1").time, Ps(100));
  EXPECT_EQ(Find(operations, "dot.1").events, 3u);
  EXPECT_EQ(Find(operations, "dot.2").self, Ps(80));
  EXPECT_EQ(Find(operations, "dot.2").time, Ps(100));
  EXPECT_EQ(Find(operations, "MemcpyH2D").self, Ps(10));
  EXPECT_FALSE(Find(operations, "MemcpyH2D").flops);
}

TEST(Operations, AnOperationOfSeveralKernelsRunsOncePerRunOfItsProgram) {
  Loop f;
  TestCapture capture;
  // Three kernels of one name per run, launched one by one inside the host's Execute.
  for (int64_t run = 0; run < 2; ++run) {
    const int64_t at = 1000 * run;
    capture.calls.push_back({at, at + 100, "CommonPjRtLoadedExecutable::Execute (jit_f)"});
    for (int64_t k = 0; k < 3; ++k) {
      capture.calls.push_back({at + 10 * k, at + 10 * k + 5, "cuLaunchKernel", 10 * run + k});
      capture.events.push_back({at + 200 + 10 * k, at + 210 + 10 * k, "sort", 0, f.first, 10 * run + k});
    }
  }
  capture.programs.push_back(f.maker.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  const OpTotal& total = Find(operations, "dot.1");
  EXPECT_EQ(total.events, 6u);
  EXPECT_EQ(total.executions, 2u);
  EXPECT_EQ(total.flops, 200.0);
  EXPECT_EQ(total.bytes, 20.0);
  EXPECT_EQ(ExecutionTimes(made.view, "dot.1"), std::vector<Ps>(2, Ps(30)));
}

TEST(Operations, NodesOfOneGraphLaunchAreOneRun) {
  Loop f;
  TestCapture capture;
  for (int64_t run = 0; run < 3; ++run) {
    capture.calls.push_back({100 * run, 100 * run + 5, "cuGraphLaunch", run});
    for (int64_t k = 0; k < 2; ++k) {
      capture.events.push_back({100 * run + 10 * k + 10, 100 * run + 10 * k + 15, "k", 0, f.first, run,
                                AttributionKind::kByGraphNode});
    }
  }
  capture.programs.push_back(f.maker.Finish());
  const TestView made(std::move(capture));
  EXPECT_EQ(Find(FindOperations(made.view), "dot.1").executions, 3u);
  EXPECT_EQ(ExecutionTimes(made.view, "dot.1"), std::vector<Ps>(3, Ps(10)));
}

TEST(Operations, InALoopEveryIterationCounts) {
  Loop f;
  TestCapture capture;
  capture.calls.push_back({0, 1000, "CommonPjRtLoadedExecutable::Execute (jit_f)"});
  for (int64_t i = 0; i < 5; ++i) {
    capture.calls.push_back({10 * i, 10 * i + 1, "cuLaunchKernel", i});
    capture.events.push_back({20 * i + 10, 20 * i + 14, "gemm", 0, f.inner, i});
    capture.events.push_back({20 * i + 14, 20 * i + 16, "reduce", 0, f.inner, i});
    capture.events.push_back({20 * i + 16, 20 * i + 18, "reduce", 0, f.inner, i});
  }
  capture.programs.push_back(f.maker.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  EXPECT_EQ(Find(operations, "dot.2").events, 15u);
  EXPECT_EQ(Find(operations, "dot.2").executions, 5u);
  EXPECT_EQ(Find(operations, "dot.2").flops, 5000.0);
  EXPECT_EQ(ExecutionTimes(made.view, "dot.2"), std::vector<Ps>(5, Ps(8)));
}

TEST(Operations, WithoutLaunchesTheRarestKernelCounts) {
  Loop f;
  TestCapture capture;
  capture.events = {{0, 1, "a", 0, f.first}, {1, 2, "b", 0, f.first}, {2, 3, "b", 0, f.first},
                    {3, 4, "a", 0, f.first}, {4, 5, "b", 0, f.first}, {5, 6, "b", 0, f.first}};
  capture.programs.push_back(f.maker.Finish());
  const TestView made(std::move(capture));
  EXPECT_EQ(Find(FindOperations(made.view), "dot.1").executions, 2u);
  EXPECT_EQ(ExecutionTimes(made.view, "dot.1"), std::vector<Ps>(2, Ps(3)));
}

TEST(Operations, ALoopWhoseBodyHasEventsCostsNothingItself) {
  Loop f;
  TestCapture capture;
  capture.kind = PlaneKind::kTpu;
  capture.events = {
      {0, 100, "while.1", 0, f.loop}, {10, 20, "dot.2", 0, f.inner}, {30, 40, "dot.2", 0, f.inner}};
  Loop g;
  TestCapture only_loop;
  only_loop.kind = PlaneKind::kTpu;
  only_loop.events = {capture.events[0]};
  capture.programs.push_back(f.maker.Finish());
  only_loop.programs.push_back(g.maker.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  EXPECT_EQ(Find(operations, "while.1").flops, 0.0);
  EXPECT_EQ(Find(operations, "while.1").self, Ps(80));
  EXPECT_EQ(Find(operations, "while.1").time, Ps(100));
  EXPECT_EQ(Find(operations, "dot.2").executions, 2u);
  EXPECT_EQ(Find(operations, "dot.2").flops, 2000.0);
  const TestView alone(std::move(only_loop));
  EXPECT_EQ(Find(FindOperations(alone.view), "while.1").flops, 5000.0);
}

TEST(Operations, OnATpuTheAsynchronousLineDoesNotCountAgain) {
  Loop f;
  TestCapture capture;
  capture.kind = PlaneKind::kTpu;
  capture.events = {{0, 10, "dot.1", 0, f.first},
                    {5, 90, "dot.1", 0, f.first, -1, AttributionKind::kByName, 0, 1}};
  capture.programs.push_back(f.maker.Finish());
  const TestView made(std::move(capture));
  const OpTotal total = Find(FindOperations(made.view), "dot.1");
  EXPECT_EQ(total.events, 2u);
  EXPECT_EQ(total.executions, 1u);
  EXPECT_EQ(total.time, Ps(90));
  EXPECT_EQ(ExecutionTimes(made.view, "dot.1"), std::vector<Ps>{Ps(90)});
}

TEST(Operations, UnknownCostsStayUnknownWithTheirReason) {
  ProgramMaker maker("jit_f");
  const auto call = maker.Add("custom-call.1", "custom-call");
  maker.SetUnknown(call, "foreign code");
  TestCapture capture;
  capture.events = {{0, 10, "k", 0, call}};
  capture.programs.push_back(maker.Finish());
  const TestView made(std::move(capture));
  const OpTotal total = Find(FindOperations(made.view), "custom-call.1");
  EXPECT_FALSE(total.flops);
  EXPECT_FALSE(total.bytes);
  EXPECT_EQ(total.unknown_because, "foreign code");
}

TEST(Operations, MissingProgramsAreOperationsOfTheirOwn) {
  TestCapture capture;
  capture.events = {{0, 10, "kernel_a", -1, {}, -1, AttributionKind::kNoProgram},
                    {10, 30, "kernel_b", -1, {}, -1, AttributionKind::kGraphMismatch},
                    {30, 60, "kernel_c"}};
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  EXPECT_EQ(SumOfSelf(operations), Ps(60));
  EXPECT_EQ(Find(operations, "kernel_b").what.attribution, AttributionKind::kGraphMismatch);
  EXPECT_EQ(Find(operations, "kernel_c").what.attribution, AttributionKind::kNone);
  EXPECT_EQ(Find(operations, "kernel_c").what.category, Category::kUnattributed);
  EXPECT_EQ(Find(operations, "kernel_b").what.category, Category::kOther);  // compute, as it is of a program
  for (const OpTotal& total : operations.totals) EXPECT_FALSE(total.what.attributed());
}

TEST(Operations, NothingIsNotAnError) {
  const TestView made(TestCapture{});
  const Operations operations = FindOperations(made.view);
  EXPECT_TRUE(operations.totals.empty());
  EXPECT_EQ(operations.busy, Ps());
}

TEST(Operations, OnlyWhatLiesInTheSelectedStepsCounts) {
  Loop f;
  TestCapture capture;
  for (int64_t step = 0; step < 4; ++step) {
    const int64_t at = 100 * step;
    capture.calls.push_back({at, at + 90, "train", -1, step});
    capture.calls.push_back({at + 1, at + 2, "cuLaunchKernel", step});
    capture.events.push_back({at + 10, at + 60, "k", 0, f.first, step});
  }
  capture.programs.push_back(f.maker.Finish());
  Selection selection;
  selection.first_step = 2;
  selection.last_step = 2;
  const TestView made(std::move(capture), selection);
  const Operations operations = FindOperations(made.view);
  EXPECT_EQ(operations.device_steps, 1);
  EXPECT_EQ(operations.busy, Ps(50));
  EXPECT_EQ(Find(operations, "dot.1").events, 1u);
  EXPECT_EQ(ExecutionTimes(made.view, "dot.1"), std::vector<Ps>{Ps(50)});
}

TEST(Operations, ExecutionsAreThoseOfOneProgram) {
  Loop f;
  Loop g;
  g.maker = ProgramMaker("jit_f", 8);
  const auto other = g.maker.Add("dot.1", "dot");
  TestCapture capture;
  capture.events = {
      {0, 10, "k", 0, f.first}, {10, 40, "k", 1, other}, {40, 70, "k", 1, other}, {70, 75, "dot.1"}};
  capture.programs.push_back(f.maker.Finish());
  capture.programs.push_back(g.maker.Finish());
  const TestView made(std::move(capture));
  const OperationIndex index(made.view);
  EXPECT_EQ(ListExecutions(made.view, index, FindOperation(index, "dot.1", "7").value()).size(), 1u);
  const auto second = ListExecutions(made.view, index, FindOperation(index, "dot.1", "8").value());
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].begin, Ps(10));
  EXPECT_EQ(second[0].time, Ps(30));
  EXPECT_FALSE(FindOperation(index, "dot.1", "9"));
  const auto foreign = ListExecutions(made.view, index, FindOperation(index, "dot.1", "none").value());
  ASSERT_EQ(foreign.size(), 1u);
  EXPECT_EQ(foreign[0].begin, Ps(70));
}

TEST(Operations, RandomEventsKeepTheIdentity) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    Loop f;
    TestCapture capture;
    capture.devices = 2;
    std::vector<std::vector<bool>> busy(2, std::vector<bool>(400));
    std::vector<std::vector<bool>> first(2, std::vector<bool>(400));
    for (int i = 0; i < 40; ++i) {
      const auto begin = static_cast<int64_t>(random() % 300);
      const auto end = begin + static_cast<int64_t>(random() % 60);
      const size_t device = random() % 2;
      const bool is_first = random() % 2 == 0;
      capture.events.push_back({begin, end, "k", 0, is_first ? f.first : f.inner, -1,
                                AttributionKind::kByName, device, static_cast<int>(random() % 2)});
      for (int64_t t = begin; t < end; ++t) {
        busy[device][static_cast<size_t>(t)] = true;
        if (is_first) first[device][static_cast<size_t>(t)] = true;
      }
    }
    capture.programs.push_back(f.maker.Finish());
    const TestView made(std::move(capture));
    const Operations operations = FindOperations(made.view);
    const auto count = [](const std::vector<std::vector<bool>>& marks) {
      int64_t sum = 0;
      for (const auto& device : marks) sum += std::ranges::count(device, true);
      return Ps(sum);
    };
    EXPECT_EQ(SumOfSelf(operations), count(busy));
    EXPECT_EQ(operations.busy, count(busy));
    EXPECT_EQ(Find(operations, "dot.1").time, count(first));
  }
}

TEST(Operations, WhatOtherProgramsDidMeanwhileIsOneRow) {
  ProgramMaker f("jit_f", 1);
  const auto dot = f.Add("dot.1", "dot", "jit(f)/mm/dot_general");
  const auto add = f.Add("add.1", "add", "jit(f)/add");
  f.SetCost(dot, 100, 10);
  f.SetCost(add, 1, 10);
  ProgramMaker g("jit_g", 2);
  const auto other = g.Add("dot.1", "dot", "jit(g)/dot_general");
  const auto more = g.Add("dot.2", "dot", "jit(g)/dot_general");
  g.SetCost(other, 7000, 10);
  g.SetCost(more, 7000, 10);
  TestCapture capture;
  const auto second = [](int64_t begin, int64_t end, InstructionIndex i) {
    return TestEvent{begin, end, "g", 1, i, -1, AttributionKind::kByName, 0, 1};
  };
  // They take turns, each while the other still runs.
  capture.events = {{0, 100, "f", 0, dot},
                    second(60, 90, other),
                    {90, 130, "f", 0, add},
                    second(120, 160, more),
                    {140, 200, "f", 0, dot}};
  capture.programs.push_back(f.Finish());
  capture.programs.push_back(g.Finish());
  const TestView made(std::move(capture), {.program = "jit_f"});
  const Operations& operations = FindOperations(made.view);
  EXPECT_EQ(SumOfSelf(operations), operations.busy);
  EXPECT_GT(TimeOfOtherPrograms(operations), Ps());
  double flops = 0;
  for (const OpTotal& total : operations.totals) {
    flops += total.flops.value_or(0);
    if (total.what.attributed()) {
      EXPECT_EQ(total.what.program->name, "jit_f");
    } else {
      EXPECT_EQ(total.what.name, "(other programs)");
      EXPECT_EQ(total.self, TimeOfOtherPrograms(operations));
    }
  }
  EXPECT_EQ(operations.totals.size(), 3u);
  EXPECT_EQ(flops, 100 + 100 + 1);
  for (const report::Table& table : RooflineDocument(made.view, {}).tables) {
    if (table.name == "roofline" || table.name == "programs") {
      EXPECT_EQ(table.rows.size(), table.name == "roofline" ? 2u : 1u);
    }
  }
  const KernelsResult kernels = FindKernels(made.view);
  ASSERT_EQ(kernels.kernels.size(), 1u);
  EXPECT_EQ(kernels.kernels[0].name, "f");
}

}  // namespace
}  // namespace gait::analyze
