// Rules about compilations: each must speak in one loop and be silent in one close by.
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

TEST(CompileRules, TellFirstCompilationsFromRepeatedOnes) {
  const auto loop = [](bool again) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, 900);
      if (again || i == 2) {
        run.Host("python", t + 1, 550, "PjitFunction(f)");
        run.Host("python", t + 2, 100, "lower_sharding_computation");
        run.Host("python", t + 110, 400, "backend_compile_and_load");
      }
      run.Host("python", t + 560, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, t + 570, 400, "kernel", 100 + i);
    }
    return run;
  };
  GpuRun repeated = loop(true);
  EXPECT_EQ(FindingsOf(repeated.View(), "recompile").size(), 1u);
  EXPECT_TRUE(FindingsOf(repeated.View(), "compile_in_window").empty());
  GpuRun once = loop(false);
  EXPECT_TRUE(FindingsOf(once.View(), "recompile").empty());
  const auto found = FindingsOf(once.View(), "compile_in_window");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_FALSE(found[0].evidence.empty());
  ASSERT_TRUE(found[0].evidence[0].time);  // where it can be looked at
  EXPECT_EQ(found[0].evidence[0].time->begin, Microseconds(2001));
  EXPECT_EQ(found[0].evidence[0].track.find("python"), 0u) << found[0].evidence[0].track;
  // The last one is of the runtime, but no program comes of it.
  for (const std::string doing : {"bookkeeping", "compile_report", "$re.py:10 compile", "jit::Autotune"}) {
    GpuRun never = TestLoop{.doing = doing}.Make();
    EXPECT_TRUE(FindingsOf(never.View(), "compile_in_window").empty()) << doing;
  }
}

TEST(CompileRules, NoteWhatWasCompiledInStepsThatAreLeftOut) {
  // A loop that does not wait: its first step compiles for `compiling` us and is not counted.
  const auto loop = [](double compiling, double at) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 3000 + 1000 * static_cast<double>(i);
      run.Step(i, t, 20);
      run.Host("python", t + 1, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, t + 10, 995, "kernel", 100 + i);
    }
    run.Host("python", at, compiling, "PjitFunction(f)");
    run.Host("python", at + 1, 1, "lower_sharding_computation");
    run.Host("python", at + 5, compiling - 10, "backend_compile_and_load");
    return run;
  };
  GpuRun early = loop(2000, 500);
  const auto found = FindingsOf(early.View(), "compile_in_window");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].cost.has_value());
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  EXPECT_NE(found[0].cause.find("1 program was compiled"), std::string::npos) << found[0].cause;
  // A short one is not worth it, and one after the steps says nothing of when the capture began.
  GpuRun brief = loop(500, 500);
  EXPECT_TRUE(FindingsOf(brief.View(), "compile_in_window").empty());
  GpuRun late = loop(2000, 9500);
  EXPECT_TRUE(FindingsOf(late.View(), "compile_in_window").empty());
}

// Each step compiles `f`, which differs from the one before as told.
TEST(RecompileRule, TheFixFollowsWhatIsInsideTheProgram) {
  enum class Change { kConstant, kSharding, kCode };
  const auto fix = [](Change change) {
    TestCapture capture;
    for (int64_t i = 0; i < 6; ++i) {
      ProgramMaker maker("jit_f", static_cast<uint64_t>(i) + 1);
      const InstructionIndex x = maker.Add("x", "parameter");
      const InstructionIndex constant = maker.Add("c", "constant");
      const InstructionIndex code =
          maker.Add("y", change == Change::kCode && i % 2 == 1 ? "add" : "multiply");
      for (const InstructionIndex one : {x, constant, code}) {
        maker.at(one).shape = maker.ShapeOf(ElementType::kF32);
      }
      Program program = maker.Finish();
      const auto number = std::to_string(i);
      if (change == Change::kSharding)
        program.instructions[x.value].sharding = program.strings.Intern("devices=[" + number + "]");
      if (change == Change::kConstant) {
        program.instructions[constant.value].literal = program.strings.Intern(number);
        program.instructions[constant.value].fingerprint = static_cast<uint64_t>(i);
      }
      capture.programs.push_back(std::move(program));
      const int64_t t = 1000 * i * kMicro;
      const int64_t end = t + 400 * kMicro;
      capture.calls.push_back({t, t + 900 * kMicro, "train", -1, i});
      capture.calls.push_back({t + 10, end, "PjitFunction(f)"});
      capture.calls.push_back({t + 20, end - 10, "backend_compile_and_load"});
      capture.calls.push_back({end + 10, end + 20, "cuLaunchKernel", i});
      capture.events.push_back({end + 30, 1000 * (i + 1) * kMicro, "kernel", -1, {}, i});
    }
    const TestView view(std::move(capture));
    const auto found = FindingsOf(view.view, "recompile");
    return found.size() == 1 ? found[0].cause + found[0].fix : std::string();
  };
  const std::string constant = fix(Change::kConstant);
  EXPECT_NE(constant.find("a constant changed, 0 → 1: a static argument"), std::string::npos) << constant;
  EXPECT_NE(constant.find("pass what changes as an array"), std::string::npos) << constant;
  EXPECT_NE(fix(Change::kSharding).find("keep the sharding"), std::string::npos);
  EXPECT_NE(fix(Change::kCode).find("another program of the same name"), std::string::npos);
}

// Each step compiles `make` and `f`, the one or the other for longer, because of what `f` takes.
TEST(RecompileRule, TheFixFollowsTheCause) {
  const auto fix = [](bool shapes, int64_t make, int64_t f) {
    TestCapture capture;
    const auto program = [&](const char* name, const char* opcode, int64_t size) {
      ProgramMaker maker(name, capture.programs.size() + 1);
      const InstructionIndex only = maker.Add("x", opcode);
      const ShapeId shape = maker.ShapeOf(ElementType::kF32);
      const_cast<Program&>(maker.program()).shapes[shape.value].dimensions = {size};
      maker.at(only).shape = shape;
      capture.programs.push_back(maker.Finish());
    };
    for (int64_t i = 0; i < 6; ++i) {
      program("jit_make", "broadcast", shapes ? 100 + i : 100);
      program("jit_f", "parameter", shapes ? 100 + i : 100);
      int64_t t = 1000 * i * kMicro;
      capture.calls.push_back({t, t + 900 * kMicro, "train", -1, i});
      for (const auto& [name, duration] : {std::pair("make", make), std::pair("f", f)}) {
        const int64_t end = t + duration * kMicro;
        capture.calls.push_back({t + 10, end, "PjitFunction(" + std::string(name) + ")"});
        capture.calls.push_back({t + 20, end - 10, "backend_compile_and_load"});
        t = end;
      }
      capture.calls.push_back({t + 10, t + 20, "cuLaunchKernel", i});
      capture.events.push_back({t + 30, 1000 * (i + 1) * kMicro, "kernel", -1, {}, i});
    }
    const TestView view(std::move(capture));
    const auto found = FindingsOf(view.view, "recompile");
    return found.size() == 1 ? found[0].fix : std::string();
  };
  EXPECT_NE(fix(true, 100, 400).find("jnp.pad"), std::string::npos);
  EXPECT_NE(fix(true, 400, 100).find("jnp.pad"), std::string::npos);
  EXPECT_NE(fix(false, 100, 400).find("once, outside of the loop"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze
