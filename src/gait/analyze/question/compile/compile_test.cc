#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/analyze/question/compile/compile.h"
#include "gait/analyze/question/compile/compile_report.h"
#include "gait/analyze/question/compile/reasons.h"
#include "gait/analyze/question/compile/shares.h"
#include "gait/analyze/question/compile/tasks.h"
#include "gait/analyze/vocabulary/compile_stages.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

struct Call {
  int64_t begin;
  int64_t end;
  std::string name;
};
using Thread = std::vector<Call>;

// Events that carry a number, written after their name, and the argument that it becomes.
constexpr std::pair<std::string_view, std::string_view> kNumbered[] = {
    {"train ", "step_num"},
    {"eval ", "step_num"},
    {"ThreadpoolListener::Record ", "_p"},
    {"ThreadpoolListener::StartRegion ", "_c"}};

Trace MakeTrace(const std::vector<Thread>& threads, std::vector<Program> programs = {}) {
  TraceBuilder builder;
  Plane host;
  host.name = builder.Intern("/host:CPU");
  host.kind = PlaneKind::kHost;
  const PlaneId plane = builder.AddPlane(host);
  for (size_t t = 0; t < threads.size(); ++t) {
    TrackInfo info;
    info.plane = plane;
    info.id = static_cast<int64_t>(t);
    info.name = builder.Intern("thread " + std::to_string(t));
    info.kind = TrackKind::kThread;
    TrackWriter writer = builder.NewTrack(info);
    for (const Call& call : threads[t]) {
      const size_t space = call.name.rfind(' ');
      std::string name = call.name;
      for (const auto& [prefix, key] : kNumbered) {
        if (!name.starts_with(prefix)) continue;
        writer.Arg(builder.Intern(key), ArgValue::Int(std::stoll(name.substr(space + 1))));
        name.resize(space);
        break;
      }
      writer.Event(Ps(call.begin), Ps(call.end - call.begin), builder.Intern(name));
    }
    builder.Add(std::move(writer));
  }
  for (Program& program : programs) builder.AddProgram(std::move(program));
  return std::move(builder).Finish();
}

std::span<const HostCompiles> Analyze(LoadedRun& run, Trace trace, const Selection& selection = {}) {
  run.hosts.push_back({"vm", "", std::move(trace)});
  static std::vector<std::unique_ptr<RunView>> views;  // results point into them
  views.push_back(std::make_unique<RunView>(*RunView::Make(run, selection)));
  return *FindCompilations(*views.back());
}

CompileShares Shares(const Trace& trace) {
  return ShareCompileTime(FindCompileWork(trace), {{-kMaxTime, kMaxTime}});
}

Ps Time(const PhaseTimes& phases, CompilePhase phase) { return phases[static_cast<size_t>(phase)]; }

Program MakeProgram(uint64_t id, const std::string& name, const std::vector<std::vector<int64_t>>& shapes,
                    ElementType type = ElementType::kF32, int32_t line = 7) {
  Program program;
  program.id = id;
  program.name = name;
  for (size_t i = 0; i < shapes.size(); ++i) {  // parameters, then the result
    Shape shape;
    shape.type = type;
    shape.dimensions = shapes[i];
    program.shapes.push_back(std::move(shape));
    const bool root = i + 1 == shapes.size();
    Instruction instruction;
    instruction.name = program.strings.Intern("i" + std::to_string(i));
    instruction.opcode = program.strings.Intern(root ? "add" : "parameter");
    instruction.op_name = program.strings.Intern(root ? "jit(f)/add" : "x" + std::to_string(i));
    instruction.number = static_cast<int64_t>(i);
    instruction.shape = ShapeId(i);
    instruction.computation = ComputationIndex(0);
    if (root) {
      instruction.source_file = program.strings.Intern("model.py");
      instruction.source_line = line;
    }
    program.instructions.push_back(instruction);
  }
  Computation entry;
  entry.name = program.strings.Intern("main");
  entry.begin = InstructionIndex(0);
  entry.end = InstructionIndex(shapes.size());
  entry.root = InstructionIndex(shapes.size() - 1);
  program.computations.push_back(entry);
  program.entry = ComputationIndex(0);
  program.BuildIndex();
  return program;
}

TEST(CompileStages, NamesOfAllBackends) {
  EXPECT_EQ(RoleOf("PjitFunction(f)").kind, CompileRole::Kind::kCall);
  EXPECT_EQ(RoleOf("backend_compile").kind, CompileRole::Kind::kBackend);
  EXPECT_EQ(RoleOf("PTX->CUBIN").stage, CompileStage::kMachineCode);
  EXPECT_EQ(RoleOf("XLA::TPU run hlo passes").stage, CompileStage::kPasses);
  EXPECT_EQ(RoleOf("HLO passes through layout assignment (jit_f)").stage, CompileStage::kPasses);
  EXPECT_TRUE(RoleOf("config-assigner (jit_f)").autotuning);
  EXPECT_TRUE(RoleOf("triton-autotuner").autotuning);
  EXPECT_EQ(RoleOf("CommonPjRtLoadedExecutable::Execute (jit_f)").kind, CompileRole::Kind::kExecute);
  EXPECT_EQ(RoleOf("$compiler.py:292 backend_compile_and_load").kind, CompileRole::Kind::kNone);
  EXPECT_EQ(RoleOf("$compiler.py:122 log_persistent_cache_hit").kind, CompileRole::Kind::kCacheHit);
  EXPECT_EQ(RoleOf("data_loading").kind, CompileRole::Kind::kNone);
  EXPECT_EQ(ModuleInName("PjRtCApiClient::CompileAndLoad(jit_f)"), "jit_f");
  EXPECT_EQ(ModuleInName("HLO Transforms:jit_f"), "jit_f");
  EXPECT_EQ(ModuleInName("OptimizeHloModule"), "");
  EXPECT_EQ(ModuleOfFunction("<lambda>"), "jit__lambda");
}

TEST(Compile, PhasesTileTheCall) {
  const Trace trace = MakeTrace({{{0, 110, "PjitFunction(f)"},
                                  {1, 110, "PjitFunction(f)"},
                                  {10, 15, "lower_sharding_computation"},
                                  {18, 100, "backend_compile_and_load"},
                                  {20, 90, "PjRtCApiClient::CompileAndLoad(jit_f)"},
                                  {30, 50, "HLO Transforms:jit_f"},
                                  {35, 45, "config-assigner (jit_f)"},
                                  {50, 80, "CompileToBackendResult"},
                                  {102, 108, "ExecuteReplicated.__call__"}}});
  const CompileWork work = FindCompileWork(trace);
  ASSERT_EQ(work.tasks.size(), 1u);
  EXPECT_EQ(work.tasks[0].function, "f");
  EXPECT_EQ(work.tasks[0].module, "jit_f");
  EXPECT_EQ(work.tasks[0].span, (Interval{Ps(0), Ps(100)}));
  const CompileShares shares = Shares(trace);
  EXPECT_EQ(shares.wall, Ps(100));
  const PhaseTimes& times = shares.tasks[0];
  EXPECT_EQ(Time(times, CompilePhase::kTracing), Ps(10));
  EXPECT_EQ(Time(times, CompilePhase::kLowering), Ps(5));
  EXPECT_EQ(Time(times, CompilePhase::kCache), Ps(3));
  EXPECT_EQ(Time(times, CompilePhase::kOptimization), Ps(10));
  EXPECT_EQ(Time(times, CompilePhase::kAutotuning), Ps(10));
  EXPECT_EQ(Time(times, CompilePhase::kCodeGeneration), Ps(30));
  EXPECT_EQ(Time(times, CompilePhase::kOther), Ps(32));
}

TEST(Compile, WorkersOfTheAutotunerAreAutotuningAndTheCallerWaits) {
  const Trace trace = MakeTrace({{{0, 100, "backend_compile"}, {10, 90, "config-assigner"}},
                                 {{20, 60, "PTX->CUBIN"}},
                                 {{40, 60, "CompileToBackendResult"}}});
  const CompileShares shares = Shares(trace);
  EXPECT_EQ(shares.wall, Ps(100));
  EXPECT_EQ(Time(shares.tasks[0], CompilePhase::kAutotuning), Ps(80));
  const auto& tuning = shares.stages[static_cast<size_t>(CompilePhase::kAutotuning)];
  EXPECT_EQ(tuning[static_cast<size_t>(CompileStage::kMachineCode)].wall, Ps(30));
  EXPECT_EQ(tuning[static_cast<size_t>(CompileStage::kMachineCode)].thread_time, Ps(40));
  EXPECT_EQ(tuning[static_cast<size_t>(CompileStage::kEmission)].wall, Ps(10));
  EXPECT_EQ(tuning[static_cast<size_t>(CompileStage::kTrying)].wall, Ps(40));
}

TEST(Compile, TwoAtOnceShareTheWall) {
  const Trace trace = MakeTrace(
      {{{0, 100, "PjitFunction(f)"}, {0, 100, "backend_compile"}, {0, 100, "HLO Transforms:jit_f"}},
       {{50, 150, "PjitFunction(g)"}, {50, 150, "backend_compile"}, {50, 150, "HLO Transforms:jit_g"}}});
  const CompileShares shares = Shares(trace);
  EXPECT_EQ(shares.wall, Ps(150));
  EXPECT_EQ(Time(shares.tasks[0], CompilePhase::kOptimization), Ps(75));
  EXPECT_EQ(Time(shares.tasks[1], CompilePhase::kOptimization), Ps(75));
  EXPECT_EQ(shares.elapsed[0], Ps(100));
}

// The tasks that a thread worked for, in order.
std::vector<uint32_t> TasksOf(const Trace& trace, size_t thread) {
  std::vector<uint32_t> tasks;
  for (const CompileSlice& slice : FindCompileWork(trace).slices) {
    if (slice.thread == TrackId(thread)) tasks.push_back(slice.task);
  }
  return tasks;
}

TEST(Compile, AWorkerBelongsToTheModuleItNames) {
  const Trace trace =
      MakeTrace({{{0, 100, "backend_compile"}, {1, 99, "PjRtCApiClient::CompileAndLoad(jit_f)"}},
                 {{5, 150, "backend_compile"}, {6, 149, "PjRtCApiClient::CompileAndLoad(jit_g)"}},
                 {{20, 30, "HLO passes after layout assignment (jit_f)"},
                  {40, 50, "PTX->CUBIN"},     // it stays with f
                  {110, 120, "PTX->CUBIN"}},  // until that is done
                 {{40, 50, "PTX->CUBIN"}}});  // and who never said a name is with the last
  EXPECT_EQ(TasksOf(trace, 2), (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(TasksOf(trace, 3), (std::vector<uint32_t>{1}));
}

TEST(Compile, ACallNamesItsModuleBeforeAnyWorkerDoes) {
  // No caller says a module; the worker of f comes first and must not give its name to g.
  const Trace trace = MakeTrace({{{0, 100, "PjitFunction(f)"}, {10, 100, "backend_compile"}},
                                 {{0, 100, "PjitFunction(g)"}, {11, 100, "backend_compile"}},
                                 {{20, 30, "HLO passes (jit_f)"}, {30, 90, "CpuCompiler::RunBackend"}},
                                 {{20, 30, "HLO passes (jit_g)"}, {30, 90, "CpuCompiler::RunBackend"}}});
  EXPECT_EQ(TasksOf(trace, 2), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(TasksOf(trace, 3), (std::vector<uint32_t>{1, 1}));
  const CompileWork work = FindCompileWork(trace);
  EXPECT_EQ(work.tasks[0].module, "jit_f");
  EXPECT_EQ(work.tasks[1].module, "jit_g");
  const CompileShares shares = Shares(trace);
  for (const CompilePhase phase : {CompilePhase::kOptimization, CompilePhase::kCodeGeneration})
    EXPECT_EQ(Time(shares.tasks[0], phase), Time(shares.tasks[1], phase));
}

TEST(Compile, WorkOfAPoolBelongsToWhoeverGaveIt) {
  // f's compiler gives work to one pool's thread, and that to another, which then works for g.
  const Trace trace = MakeTrace({{{0, 100, "backend_compile"}, {10, 10, "ThreadpoolListener::Record 1"}},
                                 {{5, 100, "backend_compile"}, {12, 12, "ThreadpoolListener::Record 2"}},
                                 {{20, 20, "ThreadpoolListener::StartRegion 1"},
                                  {22, 80, "CpuCompiler::RunBackend"},
                                  {30, 30, "ThreadpoolListener::Record 3"},
                                  {81, 81, "ThreadpoolListener::StopRegion"},
                                  {82, 85, "PTX->CUBIN"}},  // as before, with the last one it worked for
                                 {{40, 40, "ThreadpoolListener::StartRegion 3"},
                                  {41, 50, "Codegen"},
                                  {51, 51, "ThreadpoolListener::StopRegion"},
                                  {52, 52, "ThreadpoolListener::StartRegion 2"},
                                  {53, 60, "Codegen"},
                                  {61, 61, "ThreadpoolListener::StopRegion"},
                                  {62, 62, "ThreadpoolListener::StartRegion 99"},  // given before the capture
                                  {63, 65, "Codegen"}}});
  EXPECT_EQ(TasksOf(trace, 2), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(TasksOf(trace, 3), (std::vector<uint32_t>{0, 1, 1}));
}

TEST(Compile, ACompilationInsideTracingIsItsOwn) {
  const Trace trace = MakeTrace({{{0, 100, "PjitFunction(outer)"},
                                  {10, 40, "PjitFunction(inner)"},
                                  {15, 20, "lower_sharding_computation"},
                                  {20, 35, "backend_compile"},
                                  {50, 60, "lower_sharding_computation"},
                                  {60, 90, "backend_compile"}}});
  const CompileWork work = FindCompileWork(trace);
  ASSERT_EQ(work.tasks.size(), 2u);
  const CompileShares shares = Shares(trace);
  EXPECT_EQ(shares.wall, Ps(90));
  EXPECT_EQ(Time(shares.tasks[0], CompilePhase::kTracing), Ps(25));
  EXPECT_EQ(Time(shares.tasks[1], CompilePhase::kTracing), Ps(5));
}

TEST(Compile, LoweredAndNeverCompiledCameFromTheCache) {
  const Trace trace = MakeTrace({{{0, 100, "PjitFunction(f)"},
                                  {10, 20, "lower_sharding_computation"},
                                  {60, 90, "ExecuteReplicated.__call__"}},
                                 {{0, 100, "PjitFunction(f)"},
                                  {10, 20, "lower_sharding_computation"},
                                  {30, 31, "$compiler.py:122 log_persistent_cache_hit"}},
                                 {{0, 5, "lower_sharding_computation"}}});
  const CompileWork work = FindCompileWork(trace);
  ASSERT_EQ(work.tasks.size(), 3u);
  EXPECT_EQ(work.tasks[0].cache, CacheResult::kLikelyHit);
  EXPECT_EQ(work.tasks[0].span.end, Ps(60));
  EXPECT_EQ(work.tasks[1].cache, CacheResult::kHit);
  EXPECT_EQ(work.tasks[2].cache, CacheResult::kUnknown);  // f.lower() alone
}

TEST(Compile, LowerAndCompileWithoutACallAreOneTask) {
  const Trace trace = MakeTrace({{{0, 5, "lower_sharding_computation"}, {50, 80, "backend_compile"}}});
  EXPECT_EQ(FindCompileWork(trace).tasks.size(), 1u);
  EXPECT_EQ(Shares(trace).wall, Ps(35));  // what lies between is not compiling
}

TEST(Compile, WorkThatNoCallSurrounds) {
  const Trace trace = MakeTrace({{{0, 5, "LoadProgramMaybeFromCache"}, {9, 10, "LoadProgramMaybeFromCache"}},
                                 {{3, 7, "Codegen"}}});  // too common a name
  const CompileWork work = FindCompileWork(trace);
  ASSERT_EQ(work.tasks.size(), 1u);
  EXPECT_FALSE(work.tasks[0].thread.valid());
  EXPECT_EQ(Shares(trace).wall, Ps(6));
}

TEST(Compile, WhatChanged) {
  const auto cause = [](const Program& before, const Program& after) { return Compare(before, after).cause; };
  const Program f = MakeProgram(1, "jit_f", {{8, 64}, {4}, {8}});
  EXPECT_EQ(cause(f, MakeProgram(2, "jit_f", {{9, 64}, {4}, {9}})), CompileCause::kShape);
  EXPECT_EQ(cause(f, MakeProgram(2, "jit_f", {{8, 64}, {4}, {8}}, ElementType::kBf16)), CompileCause::kType);
  EXPECT_EQ(cause(f, MakeProgram(2, "jit_f", {{8, 64}, {8}})), CompileCause::kParameters);
  EXPECT_EQ(cause(f, MakeProgram(2, "jit_f", {{8, 64}, {4}, {7}})), CompileCause::kResult);
  EXPECT_EQ(cause(f, MakeProgram(2, "jit_f", {{8, 64}, {4}, {8}})), CompileCause::kSame);
  // A type and a shape at once: whoever mends the type is compiled again all the same.
  EXPECT_EQ(cause(f, MakeProgram(2, "jit_f", {{9, 64}, {4}, {9}}, ElementType::kBf16)), CompileCause::kShape);
  const CompileReason reason = Compare(f, MakeProgram(2, "jit_f", {{9, 64}, {4}, {9}}));
  ASSERT_EQ(reason.changes.size(), 1u);
  EXPECT_EQ(reason.changes[0].what, "x0");
  EXPECT_EQ(reason.changes[0].before, "f32[8,64]");
  EXPECT_EQ(reason.changes[0].after, "f32[9,64]");
}

// f(x) = x + constant, with what two compilations of it may differ in.
struct Inside {
  std::string name = "add.1";
  std::string literal = "0.1";
  uint64_t fingerprint = 1;  // of the constant
  std::vector<int64_t> dimensions{};
  std::string sharding{};  // of x
  std::string opcode = "add";
  std::string config{};
  std::vector<int64_t> devices = {0};
};

Program MakeInside(const Inside& inside) {
  Program program = MakeProgram(1, "jit_f", {{8}, inside.dimensions, {8}});
  Instruction& x = program.instructions[0];
  Instruction& constant = program.instructions[1];
  Instruction& add = program.instructions[2];
  x.sharding = program.strings.Intern(inside.sharding);
  constant.opcode = program.strings.Intern("constant");
  constant.literal = program.strings.Intern(inside.literal);
  constant.fingerprint = inside.fingerprint;
  add.name = program.strings.Intern(inside.name);
  add.opcode = program.strings.Intern(inside.opcode);
  add.backend_config = program.strings.Intern(inside.config);
  add.operands = {InstructionIndex(0), InstructionIndex(1)};
  program.device_ids = inside.devices;
  return program;
}

CompileReason WhyAgain(const Inside& before, const Inside& after) {
  return Compare(MakeInside(before), MakeInside(after));
}

TEST(Compile, TheSameProgramAgain) {
  EXPECT_EQ(WhyAgain({}, {.name = "add.7"}).cause, CompileCause::kSame);
  EXPECT_EQ(WhyAgain({.opcode = "fusion", .config = "a"}, {.opcode = "fusion", .config = "b"}).cause,
            CompileCause::kSame);
  const auto call = [](const std::string& config) {
    return Inside{.opcode = "custom-call", .config = config};
  };
  // The autotuner may choose another algorithm for the same product.
  EXPECT_EQ(WhyAgain(call(R"({"alpha":1,"selected_algorithm":"7","algorithm":{"id":1,"knobs":{"2":"3"}}})"),
                     call(R"({"alpha":1,"selected_algorithm":"9","algorithm":{"id":4}})"))
                .cause,
            CompileCause::kSame);
  EXPECT_EQ(WhyAgain(call(R"({"alpha":1,"selected_algorithm":"7"})"),
                     call(R"({"alpha":2,"selected_algorithm":"7"})"))
                .cause,
            CompileCause::kOther);
  EXPECT_EQ(WhyAgain({}, {.opcode = "subtract"}).cause, CompileCause::kOther);
}

TEST(Compile, AConstantChanged) {
  const CompileReason scalar = WhyAgain({}, {.literal = "0.05", .fingerprint = 2});
  EXPECT_EQ(scalar.cause, CompileCause::kConstant);
  ASSERT_EQ(scalar.changes.size(), 1u);
  EXPECT_EQ(scalar.changes[0].what, "constant");
  EXPECT_EQ(scalar.changes[0].before, "0.1");
  EXPECT_EQ(scalar.changes[0].after, "0.05");
  const Inside array = {.literal = "", .dimensions = {8}};
  Inside other = array;
  other.fingerprint = 2;
  const CompileReason large = WhyAgain(array, other);
  EXPECT_EQ(large.cause, CompileCause::kConstant);
  ASSERT_EQ(large.changes.size(), 1u);
  EXPECT_EQ(large.changes[0].what, "constant of f32[8]");
  EXPECT_EQ(large.changes[0].before, "");
  EXPECT_EQ(WhyAgain({}, {.fingerprint = 2, .dimensions = {8}}).cause, CompileCause::kOther);
}

TEST(Compile, AShardingChanged) {
  const CompileReason reason = WhyAgain({}, {.sharding = "devices=[2]<=[2]", .opcode = "subtract"});
  EXPECT_EQ(reason.cause, CompileCause::kSharding);
  ASSERT_EQ(reason.changes.size(), 1u);
  EXPECT_EQ(reason.changes[0].what, "sharding of x0");
  EXPECT_EQ(reason.changes[0].before, "replicated");
  const CompileReason moved = WhyAgain({}, {.devices = {1}});
  EXPECT_EQ(moved.cause, CompileCause::kSharding);
  ASSERT_EQ(moved.changes.size(), 1u);
  EXPECT_EQ(moved.changes[0].what, "devices");
}

// The answer of `gait compile` for programs that were compiled one after the other.
std::string AnswerFor(std::vector<Program> programs) {
  Thread thread;
  for (size_t i = 0; i < programs.size(); ++i) {
    programs[i].id = i + 1;
    const auto t = static_cast<int64_t>(100 * i);
    thread.push_back({t, t + 50, "PjitFunction(f)"});
    thread.push_back({t, t + 50, "backend_compile"});
  }
  LoadedRun run;
  run.hosts.push_back({"vm", "", MakeTrace({thread}, std::move(programs))});
  const auto view = RunView::Make(run, {});
  return CompileDocument(*view)->answer;
}

TEST(Compile, TheAnswerCountsByWhatChanged) {
  const auto returns = [](const std::vector<int64_t>& result, ElementType type) {
    Program program = MakeProgram(0, "jit_f", {{8}, result});
    program.shapes[1].type = type;
    return program;
  };
  std::vector<Program> programs;
  programs.push_back(returns({8}, ElementType::kF32));
  programs.push_back(returns({8}, ElementType::kS32));  // another type of the result
  programs.push_back(returns({8}, ElementType::kF16));
  programs.push_back(returns({9}, ElementType::kF16));  // another shape
  programs.push_back(returns({9}, ElementType::kF16));  // the same
  programs.push_back(returns({9}, ElementType::kF16));
  programs.push_back(returns({8}, ElementType::kF32));  // the first one
  const std::string answer = AnswerFor(std::move(programs));
  EXPECT_NE(
      answer.find("6 of them again: 3 with no change of the program, 2 because a type changed, 1 because "
                  "a shape changed"),
      std::string::npos)
      << answer;
  std::vector<Program> few;
  few.push_back(MakeInside({}));
  few.push_back(MakeInside({.literal = "2", .fingerprint = 2}));
  const std::string short_answer = AnswerFor(std::move(few));
  EXPECT_NE(short_answer.find("1 of them again because a constant changed."), std::string::npos)
      << short_answer;
}

TEST(Compile, WithoutTheProgramBeforeItIsNotKnown) {
  // Programs launched after their compilation; that of the second task is missing.
  std::vector<Program> programs;
  programs.push_back(MakeProgram(5, "jit_f", {{2}, {2}}));
  LoadedRun run;
  const std::span<const HostCompiles> hosts = Analyze(run, MakeTrace({{{0, 40, "PjitFunction(f)"},
                                                                       {0, 40, "backend_compile"},
                                                                       {50, 90, "PjitFunction(f)"},
                                                                       {50, 90, "backend_compile"}}},
                                                                     std::move(programs)));
  ASSERT_EQ(hosts[0].compilations.size(), 2u);
  EXPECT_EQ(hosts[0].compilations[0].reason.cause, CompileCause::kUnknown);
  EXPECT_FALSE(hosts[0].compilations[0].reason.program);
  EXPECT_EQ(hosts[0].compilations[1].reason.cause, CompileCause::kUnknown);
  EXPECT_EQ(hosts[0].compilations[1].reason.program, 5u);
}

TEST(Compile, StepsReasonsAndSelection) {
  const auto trace = [] {
    std::vector<Program> programs;
    programs.push_back(MakeProgram(9, "jit_f", {{3}, {3}}));
    programs.push_back(MakeProgram(5, "jit_f", {{2}, {2}}));
    programs.push_back(MakeProgram(4, "jit_f", {{2}, {2}}, ElementType::kF32, 999));  // another f
    return MakeTrace({{{0, 100, "train 7"},
                       {10, 30, "PjitFunction(f)"},
                       {10, 30, "backend_compile"},
                       {100, 200, "train 8"},
                       {110, 140, "PjitFunction(f)"},
                       {110, 140, "backend_compile"}}},
                     std::move(programs));
  };
  LoadedRun run;
  const std::span<const HostCompiles> all = Analyze(run, trace());
  ASSERT_EQ(all[0].compilations.size(), 2u);
  EXPECT_EQ(all[0].wall(), Ps(50));
  EXPECT_EQ(all[0].window, (Interval{Ps(0), Ps(200)}));
  EXPECT_EQ(all[0].steps_hit, 2u);
  EXPECT_EQ(all[0].compilations[0].step, 7);
  EXPECT_EQ(all[0].compilations[0].reason.cause, CompileCause::kFirst);
  EXPECT_EQ(all[0].compilations[1].reason.cause, CompileCause::kShape);
  EXPECT_EQ(all[0].compilations[1].reason.compared_with, 5u);
  EXPECT_EQ(all[0].idle_meanwhile, Ps(50));

  LoadedRun second;
  Selection step;
  step.first_step = step.last_step = 8;
  const std::span<const HostCompiles> one = Analyze(second, trace(), step);
  ASSERT_EQ(one[0].compilations.size(), 1u);
  EXPECT_EQ(one[0].compilations[0].nth, 2u);
  EXPECT_EQ(one[0].wall(), Ps(30));
}

// The steps of compilations, -1 for none, and how many steps they hit.
std::pair<std::vector<int64_t>, uint64_t> StepsHit(const std::vector<Thread>& threads,
                                                   const Selection& selection = {}) {
  LoadedRun run;
  const std::span<const HostCompiles> hosts = Analyze(run, MakeTrace(threads), selection);
  std::vector<int64_t> steps;
  for (const Compilation& c : hosts[0].compilations) steps.push_back(c.step.value_or(-1));
  return {steps, hosts[0].steps_hit};
}

TEST(Compile, WhatIsCompiledBetweenTwoStepsHoldsUpTheNext) {
  const std::vector<Thread> threads = {{{0, 8, "backend_compile"},  // before the first step
                                        {10, 20, "train 4"},
                                        {22, 38, "backend_compile"},  // a log line
                                        {40, 50, "train 5"},
                                        {42, 48, "backend_compile"},
                                        {60, 80, "eval 0"},
                                        {62, 78, "backend_compile"},  // the evaluation's
                                        {90, 99, "train 6"},
                                        {110, 120, "backend_compile"}},  // after the last step
                                       {{24, 26, "backend_compile"}}};   // by a thread that has no steps
  EXPECT_EQ(StepsHit(threads), std::pair(std::vector<int64_t>{-1, 5, 5, 5, -1, -1}, uint64_t{1}));
  Selection selection;
  selection.first_step = selection.last_step = 4;
  EXPECT_EQ(StepsHit(threads, selection), std::pair(std::vector<int64_t>{}, uint64_t{0}));
  LoadedRun run;
  run.hosts.push_back({"vm", "", MakeTrace(threads)});
  EXPECT_EQ(CompileDocument(*RunView::Make(run, selection))->answer, "No compilation in these steps.");
  selection.first_step = selection.last_step = 5;
  EXPECT_EQ(StepsHit(threads, selection), std::pair(std::vector<int64_t>{5, 5, 5}, uint64_t{1}));
}

TEST(Compile, ComparedWithTheProgramThatTakesTheSame) {
  // Training on a full and a short batch, then evaluation on both, with a static argument.
  std::vector<Program> programs;
  programs.push_back(MakeProgram(1, "jit_f", {{64}, {64}}));
  programs.push_back(MakeProgram(2, "jit_f", {{32}, {32}}));
  programs.push_back(MakeProgram(3, "jit_f", {{64}, {64}}, ElementType::kF32, 999));  // another f
  programs.push_back(MakeProgram(4, "jit_f", {{64}, {64}}));
  programs.push_back(MakeProgram(5, "jit_f", {{32}, {32}}));
  programs.push_back(MakeProgram(6, "jit_f", {{16}, {16}}));
  programs.push_back(MakeProgram(7, "jit_f", {{64}, {64}}));  // the first again, of a weak type say
  for (const size_t evaluation : {3, 4}) {
    Program& program = programs[evaluation];
    program.instructions[1].opcode = program.strings.Intern("tanh");
  }
  Thread thread;
  for (int64_t t = 0; t < 700; t += 100) {
    thread.push_back({t, t + 50, "PjitFunction(f)"});
    thread.push_back({t, t + 50, "backend_compile"});
  }
  LoadedRun run;
  const std::span<const HostCompiles> hosts = Analyze(run, MakeTrace({thread}, std::move(programs)));
  std::vector<std::pair<CompileCause, std::optional<uint64_t>>> causes;
  for (const Compilation& c : hosts[0].compilations)
    causes.emplace_back(c.reason.cause, c.reason.compared_with);
  const std::vector<std::pair<CompileCause, std::optional<uint64_t>>> expected = {
      {CompileCause::kFirst, std::nullopt},
      {CompileCause::kShape, 1},
      {CompileCause::kFirst, std::nullopt},
      {CompileCause::kOther, 1},
      {CompileCause::kOther, 2},
      {CompileCause::kShape, 5},
      {CompileCause::kSame, 1}};
  EXPECT_EQ(causes, expected);
}

// What takes the gradient of a function is another one of the same name and lines.
TEST(Compile, AGradientIsAnotherFunction) {
  std::vector<Program> programs;
  Thread thread;
  for (const auto& [rows, op_name] : std::vector<std::pair<int64_t, std::string>>{
           {64, "jit(loss)/jvp()/add"}, {100, "jit(loss)/add"}, {32, "jit(loss)/transpose(jvp())/add"}}) {
    const auto t = static_cast<int64_t>(100 * programs.size());
    thread.push_back({t, t + 50, "PjitFunction(loss)"});
    thread.push_back({t, t + 50, "backend_compile"});
    Program program = MakeProgram(programs.size() + 1, "jit_loss", {{rows}, {rows}});
    program.instructions[1].op_name = program.strings.Intern(op_name);
    programs.push_back(std::move(program));
  }
  LoadedRun run;
  std::vector<std::pair<CompileCause, std::optional<uint64_t>>> found;
  for (const Compilation& c : Analyze(run, MakeTrace({thread}, std::move(programs)))[0].compilations)
    found.emplace_back(c.reason.cause, c.reason.compared_with);
  const decltype(found) expected = {
      {CompileCause::kFirst, std::nullopt}, {CompileCause::kFirst, std::nullopt}, {CompileCause::kShape, 1}};
  EXPECT_EQ(found, expected);
}

TEST(Compile, NothingCompiled) {
  LoadedRun run;
  run.typed = run.run.path = "runs/x";
  run.hosts.push_back({"vm", "", MakeTrace({{{0, 5, "PjitFunction(f)"}}, {}})});
  const auto view = RunView::Make(run, {});
  const auto document = CompileDocument(*view);
  EXPECT_EQ(document->answer, "No compilation in this capture.");
  for (const report::Table& table : document->tables) {
    for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
  }
}

TEST(Compile, SharesSumToTheWallWhateverHappens) {
  std::mt19937 random(4);
  const std::vector<std::string> names = {
      "PjitFunction(f)",  "PjitFunction(g)",        "lower_sharding_computation",
      "backend_compile",  "config-assigner",        "PTX->CUBIN",
      "HLO Transforms:x", "CompileToBackendResult", "ExecuteReplicated.__call__",
      "Codegen"};
  for (int round = 0; round < 200; ++round) {
    std::vector<Thread> threads(4);
    for (Thread& thread : threads) {
      for (int i = 0; i < 30; ++i) {
        const auto begin = static_cast<int64_t>(random() % 1000);
        thread.push_back(
            {begin, begin + static_cast<int64_t>(random() % 300), names[random() % names.size()]});
      }
    }
    const Trace trace = MakeTrace(threads);
    const CompileWork work = FindCompileWork(trace);
    const CompileShares shares = ShareCompileTime(work, {{-kMaxTime, kMaxTime}});
    std::vector<Interval> times;
    for (const CompileSlice& slice : work.slices) times.push_back(slice.time);
    EXPECT_EQ(shares.wall, TotalLength(Normalize(times)));
    Ps by_task;
    for (const PhaseTimes& phases : shares.tasks) {
      for (const Ps phase : phases) by_task += phase;
    }
    EXPECT_EQ(by_task, shares.wall);
    Ps by_stage;
    for (const auto& stages : shares.stages) {
      for (const StageTime& stage : stages) by_stage += stage.wall;
    }
    EXPECT_EQ(by_stage, shares.wall);
  }
}

}  // namespace
}  // namespace gait::analyze
