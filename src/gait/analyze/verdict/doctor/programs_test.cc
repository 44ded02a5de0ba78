// Rules about programs and operations: each must speak in one program and be silent in one close by.
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// Four runs of a program, one step each, its operations one after the other for `times` microseconds.
TestCapture Steps(Program program, const std::vector<std::pair<InstructionIndex, int64_t>>& times) {
  TestCapture capture;
  capture.programs.push_back(std::move(program));
  int64_t t = 0;
  for (int64_t step = 0; step < 4; ++step) {
    capture.calls.push_back({t, t + 10, "train", -1, step});
    capture.calls.push_back({t + 1, t + 2, "cuLaunchKernel", step});
    t += 10;
    for (const auto& [instruction, duration] : times) {
      capture.events.push_back({t, t + duration * kMicro, "kernel", 0, instruction, step});
      t += duration * kMicro;
    }
  }
  return capture;
}

ShapeId ShapeIn(ProgramMaker& maker, InstructionIndex at, ElementType type, std::vector<int64_t> dimensions) {
  const ShapeId id = maker.ShapeOf(type);
  const_cast<Program&>(maker.program()).shapes[id.value].dimensions = std::move(dimensions);
  maker.at(at).shape = id;
  return id;
}

std::vector<Finding> Found(TestCapture capture, const std::string& rule) {
  const TestView view(std::move(capture));
  return FindingsOf(view.view, rule);
}

TestCapture Product(ElementType type, std::vector<int64_t> left, double flops) {
  ProgramMaker maker("jit_f");
  const InstructionIndex x = maker.Add("x", "parameter");
  ShapeIn(maker, x, type, std::move(left));
  const InstructionIndex y = maker.Add("y", "parameter");
  ShapeIn(maker, y, type, {1024, 1024});
  const InstructionIndex dot = maker.Add("dot.1", "dot", "jit(f)/dot_general");
  ShapeIn(maker, dot, type, {1024, 1024});
  maker.at(dot).operands = {x, y};
  maker.SetCost(dot, flops, 1e6);
  return Steps(maker.Finish(), {{dot, 100}});
}

TEST(F32MatmulRule, SpeaksOfF32OperandsOnly) {
  const auto found = Found(Product(ElementType::kF32, {1024, 1024}, 30e9), "f32_matmul");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.05, 0.005);  // TF32 to bf16: half
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1024}, 30e9), "f32_matmul").empty());
}

TEST(MatmulShapesRule, SpeaksOfRowsThatAreNotAligned) {
  const auto found = Found(Product(ElementType::kBf16, {1024, 1023}, 30e9), "matmul_shapes");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("1023"), std::string::npos);
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1024}, 30e9), "matmul_shapes").empty());
  // As fast as it can be, whatever its shape.
  EXPECT_TRUE(Found(Product(ElementType::kBf16, {1024, 1023}, 90e9), "matmul_shapes").empty());
}

TestCapture Two(int64_t first, int64_t second) {
  ProgramMaker maker("jit_f");
  const InstructionIndex sort = maker.Add("sort.1", "sort", "jit(f)/sort");
  const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
  const InstructionIndex cosine = maker.Add("cosine.1", "cosine", "jit(f)/cos");
  return Steps(maker.Finish(), {{sort, first}, {sine, second}, {cosine, second}});
}

TEST(DominantOpRule, SpeaksOfMoreThanHalf) {
  const auto found = Found(Two(120, 50), "dominant_op");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("sort.1"), std::string::npos);
  EXPECT_TRUE(Found(Two(90, 50), "dominant_op").empty());
}

TEST(LayoutCopiesRule, SpeaksOfTransposesNotOfSlices) {
  const auto program = [](const char* opcode) {
    ProgramMaker maker("jit_f");
    const InstructionIndex move = maker.Add("move.1", opcode, "jit(f)/move");
    const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
    return Steps(maker.Finish(), {{move, 20}, {sine, 80}});
  };
  const auto found = Found(program("transpose"), "layout_copies");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].share, 0.2, 0.01);
  EXPECT_TRUE(Found(program("slice"), "layout_copies").empty());
}

// A copy of f32[64,32] between layouts, on its own or inside a fusion, beside something that computes; or a
// program of nothing else.
struct CopyOfAnArray {
  std::vector<int64_t> to = {1, 0};  // minor to major
  bool fused = false;
  bool alone = false;

  TestCapture Make() const {
    ProgramMaker maker("jit_f");
    const auto laid_out = [&](InstructionIndex at, std::vector<int64_t> layout) {
      const ShapeId id = ShapeIn(maker, at, ElementType::kF32, {64, 32});
      const_cast<Program&>(maker.program()).shapes[id.value].minor_to_major = std::move(layout);
    };
    const auto copy = [&](const std::string& name, InstructionIndex from) {
      const InstructionIndex at = maker.Add(name, "copy", "jit(f)/copy");
      laid_out(at, to);
      maker.at(at).operands = {from};
      return at;
    };
    const InstructionIndex x = maker.Add("x", "parameter");
    laid_out(x, {1, 0});
    if (alone) {
      const InstructionIndex only = copy("copy.1", x);
      return Steps(maker.Finish(), {{only, 20}});
    }
    const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
    const InstructionIndex move = fused ? maker.Add("fusion.1", "fusion", "jit(f)/copy") : copy("copy.1", x);
    if (fused) {
      const ComputationIndex inside = maker.Begin("fused");
      const InstructionIndex p = maker.Add("p", "parameter");
      laid_out(p, {1, 0});
      copy("copy.2", p);
      maker.at(move).called = {inside};
    }
    return Steps(maker.Finish(), {{move, 20}, {sine, 80}});
  }
};

TEST(LayoutCopiesRule, SpeaksOfCopiesToAnotherLayoutOnly) {
  for (const bool fused : {false, true}) {
    EXPECT_EQ(Found(CopyOfAnArray{.to = {0, 1}, .fused = fused}.Make(), "layout_copies").size(), 1u);
    EXPECT_TRUE(Found(CopyOfAnArray{.to = {0, 1}, .fused = fused}.Make(), "program_copies").empty());
    EXPECT_TRUE(Found(CopyOfAnArray{.fused = fused}.Make(), "layout_copies").empty());
    const auto plain = Found(CopyOfAnArray{.fused = fused}.Make(), "program_copies");
    ASSERT_EQ(plain.size(), 1u);
    EXPECT_NEAR(plain[0].share, 0.2, 0.01);
    EXPECT_NE(plain[0].fix.find("donate"), std::string::npos);
  }
  const auto program = Found(CopyOfAnArray{.alone = true}.Make(), "program_copies");
  ASSERT_EQ(program.size(), 1u);
  EXPECT_NE(program[0].fix.find("device_put"), std::string::npos);
}

TEST(RematerialisationRule, SpeaksOfTheForwardPassThatRunsTwice) {
  const auto program = [](const std::string& scope) {
    ProgramMaker maker("jit_f");
    const InstructionIndex again = maker.Add("sine.1", "sine", scope);
    const InstructionIndex other = maker.Add("sine.2", "sine", "jit(f)/jvp(layer)/sin");
    return Steps(maker.Finish(), {{again, 20}, {other, 80}});
  };
  EXPECT_EQ(
      Found(program("jit(f)/transpose(jvp(layer))/rematted_computation/sin"), "rematerialisation").size(),
      1u);
  EXPECT_TRUE(Found(program("jit(f)/transpose(jvp(layer))/sin"), "rematerialisation").empty());
}

// sine -> cosine: arrays of 64 MiB, read and written in 50 us, at 0.56 of an H200's bandwidth.
struct UnfusedPair {
  bool twice = false;  // the result of the first has another reader
  int64_t elements = int64_t{1} << 24;
  int64_t sine = 50;  // microseconds
  std::string model = "NVIDIA H200";

  TestCapture Make() const {
    ProgramMaker maker("jit_f");
    const InstructionIndex x = maker.Add("x", "parameter");
    ShapeIn(maker, x, ElementType::kF32, {elements});
    const InstructionIndex first = maker.Add("sine.1", "sine", "jit(f)/sin");
    const InstructionIndex second = maker.Add("cosine.1", "cosine", "jit(f)/cos");
    const InstructionIndex sum = maker.Add("reduce.1", "reduce", "jit(f)/sum");
    const double bytes = 4.0 * static_cast<double>(elements);
    for (const InstructionIndex i : {first, second}) {
      ShapeIn(maker, i, ElementType::kF32, {elements});
      maker.at(i).cost = {1e6, bytes, bytes, StringId()};
    }
    maker.at(first).operands = {x};
    maker.at(second).operands = {first};
    maker.at(sum).operands = {twice ? first : second};
    TestCapture capture = Steps(maker.Finish(), {{first, sine}, {second, 50}, {sum, 10}});
    capture.model = model;
    return capture;
  }
};

TEST(UnfusedChainRule, SpeaksOfResultsWithOneReader) {
  const auto found = Found(UnfusedPair{}.Make(), "unfused_chain");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.05, 0.001);  // half of each: one array written, one read
  EXPECT_TRUE(Found(UnfusedPair{.twice = true}.Make(), "unfused_chain").empty());
}

TEST(UnfusedChainRule, SpeaksOfWhatMemoryBoundsOnly) {
  EXPECT_TRUE(Found(UnfusedPair{.elements = 1 << 20}.Make(), "unfused_chain").empty());
  // The sine computes for longer than its bytes take: only the cosine would be shorter.
  const auto found = Found(UnfusedPair{.sine = 500}.Make(), "unfused_chain");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.025, 0.001);
  // A device of unknown bandwidth has at least that of its fastest operation.
  const auto other =
      Found(UnfusedPair{.elements = 1 << 20, .sine = 500, .model = "A"}.Make(), "unfused_chain");
  ASSERT_EQ(other.size(), 1u);
  EXPECT_NEAR(other[0].cost->milliseconds(), 0.025, 0.001);
}

// q k^T -> softmax -> times v, with a batch or without: then it is a classifier's head.
TestCapture Attention(bool batched) {
  ProgramMaker maker("jit_f");
  const std::vector<int64_t> scores =
      batched ? std::vector<int64_t>{8, 64, 64} : std::vector<int64_t>{512, 64};
  const InstructionIndex q = maker.Add("q", "parameter");
  const InstructionIndex product = maker.Add("dot.1", "dot", "jit(f)/dot_general");
  const InstructionIndex softmax = maker.Add("fusion.1", "fusion", "jit(f)/softmax");
  const InstructionIndex values = maker.Add("dot.2", "dot", "jit(f)/dot_general");
  for (const InstructionIndex i : {product, softmax, values}) ShapeIn(maker, i, ElementType::kF32, scores);
  maker.at(product).operands = {q, q};
  maker.at(softmax).operands = {product};
  maker.at(values).operands = {softmax, q};
  const ComputationIndex inside = maker.Begin("fused");
  maker.Add("p", "parameter");
  maker.Add("exp", "exponential");
  maker.Add("sum", "reduce");
  maker.at(softmax).called = {inside};
  return Steps(maker.Finish(), {{product, 20}, {softmax, 60}, {values, 20}});
}

TEST(AttentionRule, SpeaksOfASoftmaxBetweenBatchedProducts) {
  const auto found = Found(Attention(true), "attention");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.06, 0.001);
  EXPECT_NE(found[0].cause.find("f32[8,64,64]"), std::string::npos);
  EXPECT_TRUE(Found(Attention(false), "attention").empty());
}

}  // namespace
}  // namespace gait::analyze
