#include "gait/analyze/operations/roofline.h"

#include <gtest/gtest.h>

#include "gait/analyze/question/roofline/roofline_report.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

constexpr int64_t kMicrosecond = 1'000'000;  // ps

// A product of a data type.
InstructionIndex AddProduct(ProgramMaker& maker, const std::string& name, ElementType type, double flops,
                            double bytes, const std::string& op_name = "") {
  const auto left = maker.Add(name + ".left", "parameter");
  const auto right = maker.Add(name + ".right", "parameter");
  maker.at(left).shape = maker.at(right).shape = maker.ShapeOf(type);
  const auto dot = maker.Add(name, "dot", op_name);
  maker.at(dot).operands = {left, right};
  maker.SetCost(dot, flops, bytes);
  return dot;
}

Operation AsOperation(const Program& program, InstructionIndex index) {
  Operation operation;
  operation.program = &program;
  operation.instruction = index;
  operation.category = CategoryOf(program, index);
  return operation;
}

Peaks H200() {
  Peaks peaks;
  peaks.device = "NVIDIA H200";
  peaks.vendor = Vendor::kNvidia;
  peaks.tensor_float = true;
  peaks.flops[static_cast<size_t>(MathType::kF16)] = 1000e12;
  peaks.flops[static_cast<size_t>(MathType::kTf32)] = 500e12;
  peaks.flops[static_cast<size_t>(MathType::kVector)] = 50e12;
  peaks.bytes_per_second = 5e12;
  return peaks;
}

TEST(MathTypes, OfProductsAndOthers) {
  ProgramMaker maker("jit_f");
  const auto bf16 = AddProduct(maker, "a", ElementType::kBf16, 1, 1);
  const auto f32 = AddProduct(maker, "b", ElementType::kF32, 1, 1);
  const auto exact = AddProduct(maker, "c", ElementType::kF32, 1, 1);
  const auto f8 = AddProduct(maker, "d", ElementType::kF8E4M3Fn, 1, 1);
  const auto f64 = AddProduct(maker, "e", ElementType::kF64, 1, 1);
  const auto add = maker.Add("add.1", "add");
  maker.SetConfig(exact, R"({"precision_config":{"operand_precision":["HIGHEST","HIGHEST"]}})");
  const auto of = [&](InstructionIndex i, const Peaks& peaks) {
    return MathTypeOf(AsOperation(maker.program(), i), peaks);
  };
  EXPECT_EQ(of(bf16, H200()), MathType::kF16);
  EXPECT_EQ(of(f32, H200()), MathType::kTf32);
  EXPECT_EQ(of(exact, H200()), MathType::kF32);
  EXPECT_EQ(of(f8, H200()), MathType::kF8);
  EXPECT_EQ(of(f64, H200()), MathType::kF64);  // its name begins as those of six bits do
  EXPECT_EQ(of(add, H200()), MathType::kVector);
  Peaks tpu;
  tpu.vendor = Vendor::kGoogle;
  EXPECT_EQ(of(f32, tpu), MathType::kF16);
  Peaks amd;
  amd.vendor = Vendor::kAmd;
  EXPECT_EQ(of(f32, amd), MathType::kF32);
}

TEST(MathTypes, OfAFusionItsLargestProduct) {
  ProgramMaker maker("jit_f");
  const auto fusion = maker.Add("fusion.1", "fusion");
  maker.at(fusion).called = {maker.Begin("fused")};
  AddProduct(maker, "small", ElementType::kF32, 1, 1);
  AddProduct(maker, "large", ElementType::kBf16, 10, 1);
  EXPECT_EQ(MathTypeOf(AsOperation(maker.program(), fusion), H200()), MathType::kF16);
}

class RooflineTest : public ::testing::Test {
 protected:
  // Two steps of 10 µs on each device: a product of 4 µs, rematerialised again, and an addition of 2 µs.
  void Make(size_t devices) {
    ProgramMaker maker("jit_f");
    const auto product =
        AddProduct(maker, "dot.1", ElementType::kBf16, 2e9, 1e3, "jit(f)/jvp(a)/dot_general");
    const auto again =
        AddProduct(maker, "dot.2", ElementType::kBf16, 1e9, 1e3,
                   "jit(f)/transpose(jvp(a))/jvp(a)/checkpoint/rematted_computation/dot_general");
    const auto add = maker.Add("add.1", "add", "jit(f)/add");
    maker.SetCost(add, 1e6, 5e6);
    TestCapture capture;
    capture.devices = devices;
    for (size_t d = 0; d < devices; ++d) {
      for (int64_t step = 0; step < 3; ++step) {
        const int64_t at = step * 10 * kMicrosecond;
        const auto id = static_cast<int64_t>(d) * 100 + step * 10;
        if (d == 0) capture.calls.push_back({at, at + kMicrosecond, "train", -1, step});
        const auto event = [&](int64_t begin, int64_t end, InstructionIndex instruction, int64_t which) {
          capture.calls.push_back({at + id + which + 1, at + id + which + 2, "cuLaunchKernel", id + which});
          capture.events.push_back({at + begin * kMicrosecond, at + end * kMicrosecond, "k", 0, instruction,
                                    id + which, AttributionKind::kByName, d});
        };
        event(1, 5, product, 0);
        event(5, 7, again, 1);
        event(7, 9, add, 2);
      }
    }
    capture.programs.push_back(maker.Finish());
    made_ = std::make_unique<TestView>(std::move(capture));
    operations_ = FindOperations(made_->view);
  }

  const OpRoof& Roof(const std::vector<OpRoof>& roofs, std::string_view name) const {
    for (size_t i = 0; i < roofs.size(); ++i) {
      if (operations_.totals[i].what.name == name) return roofs[i];
    }
    ADD_FAILURE() << name;
    return roofs.at(0);
  }

  std::unique_ptr<TestView> made_;
  Operations operations_;
};

TEST_F(RooflineTest, AchievedAgainstAttainable) {
  Make(1);
  ASSERT_EQ(operations_.device_steps, 2);
  const std::vector<OpRoof> roofs = Roofs(operations_, H200());
  const OpRoof& product = Roof(roofs, "dot.1");
  EXPECT_EQ(product.work.bound(), Bound::kCompute);
  EXPECT_NEAR(*product.work.efficiency(), 0.5, 1e-9);  // 2 µs of 4
  EXPECT_EQ(product.work.wasted, Ps(2 * 2 * kMicrosecond));
  EXPECT_EQ(product.attainable, 1000e12);
  EXPECT_NEAR(*product.work.intensity(), 2e6, 1e-3);
  const OpRoof& add = Roof(roofs, "add.1");
  EXPECT_EQ(add.work.bound(), Bound::kMemory);
  EXPECT_NEAR(*add.work.efficiency(), 0.5, 1e-9);  // 5 MB in 1 µs of 2
  EXPECT_NEAR(*add.attainable, 0.2 * 5e12, 1);
}

TEST_F(RooflineTest, StepUtilisationCountsDevicesAndLeavesOutRematerialisedWork) {
  for (const size_t devices : {1, 4}) {
    Make(devices);
    const std::vector<OpRoof> roofs = Roofs(operations_, H200());
    const StepWork step = FindStepWork(made_->view, operations_, roofs, H200());
    EXPECT_EQ(step.devices, static_cast<int64_t>(devices));
    EXPECT_NEAR(*step.seconds, 10e-6, 1e-12);
    EXPECT_NEAR(step.flops, 3.001e9 * static_cast<double>(devices), 1);
    EXPECT_NEAR(step.model_flops, 2.001e9 * static_cast<double>(devices), 1);
    EXPECT_EQ(step.type, MathType::kF16);
    EXPECT_EQ(step.peak, 1000e12 * static_cast<double>(devices));
    EXPECT_NEAR(*step.hfu, 0.3001, 1e-9);
    EXPECT_NEAR(*step.mfu, 0.2001, 1e-9);
  }
}

TEST_F(RooflineTest, WithoutPeaksNothingIsJudged) {
  Make(1);
  Peaks none;
  none.from = "unknown: nobody said";
  const std::vector<OpRoof> roofs = Roofs(operations_, none);
  EXPECT_EQ(Roof(roofs, "dot.1").work.bound(), Bound::kUnknown);
  EXPECT_FALSE(Roof(roofs, "dot.1").work.efficiency());
  EXPECT_FALSE(Roof(roofs, "dot.1").work.unjudged_because.empty());
  const StepWork step = FindStepWork(made_->view, operations_, roofs, none);
  EXPECT_FALSE(step.mfu);
  EXPECT_FALSE(step.no_peak_because.empty());
  EXPECT_TRUE(step.flops_per_second);
}

TEST_F(RooflineTest, EveryColumnIsExplained) {
  Make(2);
  const report::Document document = RooflineDocument(made_->view);
  for (const report::Table& table : document.tables) {
    for (const report::Column& column : table.columns) {
      EXPECT_FALSE(column.about.empty()) << table.name << " " << column.name;
    }
    for (const report::Row& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
  }
}

TEST(Roofline, AnEmptyCaptureIsNotAnError) {
  const TestView made(TestCapture{});
  EXPECT_FALSE(RooflineDocument(made.view).answer.empty());
}

}  // namespace
}  // namespace gait::analyze
