#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

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
