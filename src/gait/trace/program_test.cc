#include "gait/trace/program.h"

#include <gtest/gtest.h>

#include <limits>

#include "gait/trace/program_text.h"
#include "gait/trace/scope_path.h"

namespace gait {
namespace {

ShapeId AddShape(Program& program, Shape shape) {
  program.shapes.push_back(std::move(shape));
  return ShapeId(program.shapes.size() - 1);
}

Shape Array(ElementType type, std::vector<int64_t> dimensions, std::vector<int64_t> layout = {}) {
  Shape shape;
  shape.type = type;
  shape.dimensions = std::move(dimensions);
  shape.minor_to_major = std::move(layout);
  return shape;
}

TEST(ElementTypes, HaveNamesAndWidths) {
  EXPECT_EQ(Name(ElementType::kBf16), "bf16");
  EXPECT_EQ(Name(ElementType::kF8E4M3B11Fnuz), "f8e4m3b11fnuz");
  EXPECT_EQ(Name(ElementType::kF6E2M3Fn), "f6e2m3fn");
  EXPECT_EQ(Name(static_cast<ElementType>(200)), "unknown");
  EXPECT_EQ(BitWidth(ElementType::kC128), 128);
  EXPECT_EQ(BitWidth(ElementType::kS4), 4);
  EXPECT_EQ(BitWidth(ElementType::kTuple), 0);
}

TEST(Shapes, SizeAndText) {
  Program p;
  const ShapeId matrix = AddShape(p, Array(ElementType::kBf16, {16, 512}, {1, 0}));
  const ShapeId scalar = AddShape(p, Array(ElementType::kF32, {}));
  Shape tuple;
  tuple.type = ElementType::kTuple;
  tuple.elements = {matrix, scalar};
  const ShapeId both = AddShape(p, tuple);
  Shape tiled = Array(ElementType::kS4, {8, 128}, {1, 0});
  tiled.tiles = {{8, 128}, {2, 1}};
  tiled.element_bits = 4;
  tiled.memory_space = 1;
  const ShapeId packed = AddShape(p, tiled);

  EXPECT_EQ(p.ShapeText(matrix), "bf16[16,512]{1,0}");
  EXPECT_EQ(p.ShapeText(scalar), "f32[]");
  EXPECT_EQ(p.ShapeText(both), "(bf16[16,512]{1,0}, f32[])");
  EXPECT_EQ(p.ShapeText(packed), "s4[8,128]{1,0:T(8,128)(2,1)E(4)S(1)}");
  for (int pass = 0; pass < 2; ++pass) {  // computed, then from the index
    EXPECT_EQ(p.ByteSize(matrix), 16 * 512 * 2);
    EXPECT_EQ(p.ByteSize(both), 16 * 512 * 2 + 4);
    EXPECT_EQ(p.ByteSize(packed), 8 * 128 / 2);
    p.BuildIndex();
  }
  EXPECT_EQ(p.ElementCount(matrix), 16 * 512);
  EXPECT_EQ(p.ElementCount(both), std::nullopt);
}

TEST(Shapes, AbsurdSizesAreUnknown) {
  Program p;
  const int64_t most = std::numeric_limits<int64_t>::max();
  Shape dynamic = Array(ElementType::kF32, {7, 8});
  dynamic.dynamic = 2;
  Shape tuple;
  tuple.type = ElementType::kTuple;
  tuple.elements = {AddShape(p, Array(ElementType::kU8, {most / 8})), ShapeId(0)};
  EXPECT_EQ(p.ByteSize(ShapeId(0)), most / 8);
  EXPECT_EQ(p.ByteSize(AddShape(p, Array(ElementType::kF32, {most}))), std::nullopt);
  EXPECT_EQ(p.ByteSize(AddShape(p, Array(ElementType::kF32, {most, most}))), std::nullopt);
  EXPECT_EQ(p.ByteSize(AddShape(p, Array(ElementType::kF32, {0, most, most}))), 0);
  EXPECT_EQ(p.ByteSize(AddShape(p, Array(ElementType::kF32, {0, -1}))), std::nullopt);
  EXPECT_EQ(p.ByteSize(AddShape(p, Array(static_cast<ElementType>(99), {1}))), std::nullopt);
  const ShapeId bounded = AddShape(p, dynamic);
  EXPECT_EQ(p.ByteSize(bounded), std::nullopt);
  EXPECT_EQ(p.ShapeText(bounded), "f32[7,<=8]");
  EXPECT_EQ(p.ByteSize(ShapeId()), std::nullopt);
  EXPECT_EQ(p.ShapeText(ShapeId()), "");
}

// A fusion (entry) of a computation whose root is a tuple of a named instruction.
class SmallProgram : public testing::Test {
 protected:
  InstructionIndex Add(std::string_view name, std::string_view opcode,
                       std::vector<InstructionIndex> operands = {}, std::string_view op_name = "") {
    Instruction i;
    i.name = p.strings.Intern(name);
    i.opcode = p.strings.Intern(opcode);
    i.op_name = p.strings.Intern(op_name);
    i.shape = ShapeId(0);
    i.operands = std::move(operands);
    i.computation = ComputationIndex(p.computations.size());
    p.instructions.push_back(std::move(i));
    return InstructionIndex(p.instructions.size() - 1);
  }
  ComputationIndex Close(std::string_view name) {
    Computation c;
    c.name = p.strings.Intern(name);
    c.begin = begin_;
    c.end = begin_ = InstructionIndex(p.instructions.size());
    c.root = InstructionIndex(c.end.value - 1);
    p.computations.push_back(std::move(c));
    return ComputationIndex(p.computations.size() - 1);
  }

  SmallProgram() {
    p.name = "jit_f";
    AddShape(p, Array(ElementType::kF32, {4}, {0}));
    const auto inner = Add("p", "parameter");
    Add("root", "tuple", {Add("neg", "negate", {inner}, "jit(f)/neg")});
    const ComputationIndex body = Close("body");
    const auto outer = Add("p", "parameter");
    fusion = Add("fusion.1", "fusion", {outer});
    p.instructions[fusion.value].called = {body};
    p.instructions[fusion.value].fusion_kind = p.strings.Intern("kLoop");
    p.instructions[fusion.value].source_file = p.strings.Intern("model.py");
    p.instructions[fusion.value].source_line = 7;
    p.entry = Close("main");
    p.BuildIndex();
  }

  Program p;
  InstructionIndex fusion;

 private:
  InstructionIndex begin_{0};
};

TEST_F(SmallProgram, FindPrefersTheEntry) {
  EXPECT_EQ(p[p.Find("p")].computation, p.entry);
  EXPECT_EQ(p.Find("fusion.1"), fusion);
  EXPECT_FALSE(p.Find("nothing").valid());
}

TEST_F(SmallProgram, NamelessFusionsTakeTheNameInside) {
  EXPECT_EQ(p.text(ScopePath(p, fusion)), "jit(f)/neg");
  EXPECT_EQ(p.text(ScopePath(p, p.Find("p"))), "");
}

TEST_F(SmallProgram, ACircleOfCallsEnds) {
  p.instructions[1].op_name = {};
  p.instructions[1].called = {p.entry};
  EXPECT_EQ(p.text(ScopePath(p, fusion)), "");
}

TEST_F(SmallProgram, TextAndUsers) {
  EXPECT_EQ(InstructionText(p, fusion),
            "%fusion.1 = f32[4]{0} fusion(%p), kind=kLoop, calls=%body, metadata={source_file=\"model.py\" "
            "source_line=7}");
  EXPECT_EQ(ProgramText(p),
            "HloModule jit_f\n"
            "\n"
            "%body (p: f32[4]) -> f32[4] {\n"
            "  %p = f32[4]{0} parameter(0)\n"
            "  %neg = f32[4]{0} negate(%p), metadata={op_name=\"jit(f)/neg\"}\n"
            "  ROOT %root = f32[4]{0} tuple(%neg)\n"
            "}\n"
            "\n"
            "ENTRY %main (p: f32[4]) -> f32[4] {\n"
            "  %p = f32[4]{0} parameter(0)\n"
            "  ROOT %fusion.1 = f32[4]{0} fusion(%p), kind=kLoop, calls=%body, "
            "metadata={source_file=\"model.py\" source_line=7}\n"
            "}\n");
  EXPECT_EQ(Users(p, p.Find("p")), std::vector{fusion});
  EXPECT_TRUE(Users(p, fusion).empty());
}

}  // namespace
}  // namespace gait
