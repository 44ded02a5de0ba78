#include "gait/analyze/device/category.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// The category of a fusion with these instructions inside.
Category OfFusion(const std::vector<std::string>& opcodes) {
  ProgramMaker maker("jit_f");
  const auto fusion = maker.Add("fusion.1", "fusion");
  maker.at(fusion).called = {maker.Begin("fused")};
  for (const std::string& opcode : opcodes) maker.Add(opcode + ".1", opcode);
  return CategoryOf(maker.program(), fusion);
}

Category OfTarget(const std::string& target, const std::string& op_name = "") {
  ProgramMaker maker("jit_f");
  const auto call = maker.Add("custom-call.1", "custom-call", op_name);
  maker.SetTarget(call, target);
  return CategoryOf(maker.program(), call);
}

Category OfOpcode(const std::string& opcode) {
  ProgramMaker maker("jit_f");
  return CategoryOf(maker.program(), maker.Add("x.1", opcode));
}

TEST(Category, ByOpcode) {
  EXPECT_EQ(OfOpcode("dot"), Category::kMatmul);
  EXPECT_EQ(OfOpcode("convolution"), Category::kConvolution);
  EXPECT_EQ(OfOpcode("add"), Category::kElementwise);
  EXPECT_EQ(OfOpcode("convert"), Category::kConversion);
  EXPECT_EQ(OfOpcode("transpose"), Category::kLayout);
  EXPECT_EQ(OfOpcode("all-reduce-start"), Category::kAllReduce);
  EXPECT_EQ(OfOpcode("all-gather-done"), Category::kAllGather);
  EXPECT_EQ(OfOpcode("copy-start"), Category::kCopy);
  EXPECT_EQ(OfOpcode("copy"), Category::kLayout);
  EXPECT_EQ(OfOpcode("while"), Category::kControlFlow);
  EXPECT_EQ(OfOpcode("scatter"), Category::kGatherScatter);
  EXPECT_EQ(OfOpcode("reduce-window"), Category::kReduction);
}

TEST(Category, AFusionIsItsMostTellingPart) {
  EXPECT_EQ(OfFusion({"parameter", "add", "multiply"}), Category::kElementwise);
  EXPECT_EQ(OfFusion({"parameter", "convert"}), Category::kConversion);
  EXPECT_EQ(OfFusion({"parameter", "transpose", "bitcast"}), Category::kLayout);
  EXPECT_EQ(OfFusion({"parameter", "convert", "dot", "add"}), Category::kMatmul);
  EXPECT_EQ(OfFusion({"parameter", "dot", "exponential", "reduce", "dot"}), Category::kAttention);
  EXPECT_EQ(OfFusion({"parameter", "subtract", "exponential", "reduce"}), Category::kSoftmax);
  EXPECT_EQ(OfFusion({"parameter", "multiply", "reduce", "rsqrt"}), Category::kNormalisation);
  EXPECT_EQ(OfFusion({"parameter", "multiply", "reduce"}), Category::kReduction);
  EXPECT_EQ(OfFusion({"parameter", "add", "scatter"}), Category::kGatherScatter);
  EXPECT_EQ(OfFusion({}), Category::kOther);
}

TEST(Category, ByTarget) {
  EXPECT_EQ(OfTarget("__cublas$lt$matmul"), Category::kMatmul);
  EXPECT_EQ(OfTarget("__cudnn$convForward"), Category::kConvolution);
  EXPECT_EQ(OfTarget("__cudnn$fmhaSoftmaxBackward"), Category::kAttention);
  EXPECT_EQ(OfTarget("__cub$DeviceRadixSort"), Category::kSort);
  EXPECT_EQ(OfTarget("xla_ffi_python_gpu_callback"), Category::kHostCallback);
  EXPECT_EQ(OfTarget("cusolver_geqrf_ffi"), Category::kLinearAlgebra);
  EXPECT_EQ(OfTarget("my_kernel"), Category::kCustomCall);
  EXPECT_EQ(OfTarget("tpu_custom_call", "jit(f)/splash_mha/pallas_call"), Category::kAttention);
}

TEST(Category, OnATpuAProductIsAConvolutionOverNothing) {
  ProgramMaker maker("jit_f");
  const auto convolution = maker.Add("convolution.1", "convolution");
  maker.at(convolution).convolution = 0;
  Program program = maker.Finish();
  program.convolutions.emplace_back();
  EXPECT_EQ(CategoryOf(program, convolution), Category::kMatmul);
  program.convolutions[0].kernel_spatial = {2, 3};
  EXPECT_EQ(CategoryOf(program, convolution), Category::kConvolution);
}

// The category of copy-start or copy-done between these memory spaces.
Category OfCopy(const std::string& opcode, int from, int to) {
  ProgramMaker maker("jit_f");
  const auto start = maker.Add("copy-start.1", "copy-start");
  const auto done = maker.Add("copy-done.1", "copy-done");
  maker.at(done).operands = {start};
  const auto at = [&](ShapeId id) -> Shape& {
    return const_cast<Program&>(maker.program()).shapes[id.value];
  };
  const ShapeId source = maker.ShapeOf(ElementType::kF32);
  const ShapeId destination = maker.ShapeOf(ElementType::kF32);
  const ShapeId both = maker.ShapeOf(ElementType::kTuple);
  at(source).memory_space = from;
  at(destination).memory_space = to;
  at(both).elements = {destination, source};
  maker.at(start).shape = both;
  return CategoryOf(maker.program(), opcode == "copy-start" ? start : done);
}

TEST(Category, AnAsynchronousCopyIsToldByItsMemories) {
  for (const char* opcode : {"copy-start", "copy-done"}) {
    EXPECT_EQ(OfCopy(opcode, 5, 0), Category::kCopyToDevice);
    EXPECT_EQ(OfCopy(opcode, 5, 1), Category::kCopyToDevice);
    EXPECT_EQ(OfCopy(opcode, 0, 5), Category::kCopyToHost);
    EXPECT_EQ(OfCopy(opcode, 0, 1), Category::kCopy);
    EXPECT_EQ(OfCopy(opcode, 5, 5), Category::kCopy);
  }
  EXPECT_EQ(OfOpcode("copy-done"), Category::kCopy);  // of which nothing is known
}

TEST(Category, FusionsThatCallThemselvesEnd) {
  ProgramMaker maker("jit_f");
  const auto fusion = maker.Add("fusion.1", "fusion");
  maker.at(fusion).called = {ComputationIndex(0)};
  EXPECT_EQ(CategoryOf(maker.program(), fusion), Category::kOther);
}

TEST(Category, OfKernelsByName) {
  EXPECT_EQ(CategoryOfKernel("MemcpyH2D"), Category::kCopyToDevice);
  EXPECT_EQ(CategoryOfKernel("__amd_rocclr_copyBuffer.kd"), Category::kCopy);
  EXPECT_EQ(CategoryOfKernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"), Category::kAllReduce);
  EXPECT_EQ(CategoryOfKernel("ncclDevKernel_Generic_4"), Category::kCollective);
  EXPECT_EQ(CategoryOfKernel("nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT"), Category::kMatmul);
  EXPECT_EQ(CategoryOfKernel("void stream_executor::gpu::AllReduceKernelImpl<float>(int)"),
            Category::kAllReduce);
  EXPECT_EQ(CategoryOfKernel("all-reduce-start.3"), Category::kAllReduce);
  EXPECT_EQ(CategoryOfKernel("small_reduce_kernel"), Category::kReduction);
  EXPECT_EQ(CategoryOfKernel("copy-done.1"), Category::kCopy);
  EXPECT_EQ(CategoryOfKernel("cutlass_80_tensorop_bf16"), Category::kMatmul);
  EXPECT_EQ(CategoryOfKernel("sm90_xmma_fprop_implicit_gemm_bf16"), Category::kConvolution);
  EXPECT_EQ(CategoryOfKernel("triton_softmax"), Category::kSoftmax);
  EXPECT_EQ(CategoryOfKernel("cudnn_infer"), Category::kOther);
  EXPECT_EQ(CategoryOfKernel("redzone_checker"), Category::kUnattributed);
  EXPECT_EQ(CategoryOfKernel("%fusion.1 = f32[8] fusion(f32[8] %gemm.3)"), Category::kUnattributed);
}

TEST(Category, AllHaveNames) {
  for (int i = 0; i <= static_cast<int>(Category::kOtherPrograms); ++i) {
    EXPECT_FALSE(Name(static_cast<Category>(i)).empty()) << i;
  }
}

}  // namespace
}  // namespace gait::analyze
