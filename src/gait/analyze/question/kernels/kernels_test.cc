#include "gait/analyze/question/kernels/kernels.h"

#include <gtest/gtest.h>

#include <limits>

#include "gait/analyze/question/kernels/kernels_report.h"
#include "gait/analyze/run/test_trace.h"

namespace gait::analyze {
namespace {

using Maker = TestTraceMaker;

const Maker::Args kH200 = {{"compute_cap_major", 9}, {"compute_cap_minor", 0}, {"core_count", 100}};

Maker::Args Details(int64_t correlation, const std::string& details = "") {
  Maker::Args args = {{"correlation_id", correlation}};
  if (!details.empty()) args.emplace_back("kernel_details", details);
  return args;
}

KernelsResult Find(const std::shared_ptr<LoadedRun>& run, const Selection& selection = {}) {
  const auto view = RunView::Make(*run, selection);
  EXPECT_TRUE(view.has_value());
  return FindKernels(*view);
}

TEST(Kernels, CountsOverlappingRunsOnceInTheUnion) {
  Maker maker;
  const PlaneId gpu = maker.Gpu(0, kH200);
  const Maker::Row stream = maker.Stream(gpu, 7);
  const Maker::Row other = maker.Stream(gpu, 9);
  maker.Event(stream, 0, 100, "f", Details(1));
  maker.Event(stream, 50, 150, "f", Details(2));
  maker.Event(other, 140, 170, "f", Details(3));
  maker.Event(other, 200, 200, "f", Details(4));
  maker.Event(other, 300, 400, "g", Details(5));
  const KernelsResult result = Find(maker.Finish());
  ASSERT_EQ(result.kernels.size(), 2u);
  const Kernel& f = result.kernels[0];
  EXPECT_EQ(f.name, "f");
  EXPECT_EQ(f.count, 4u);
  EXPECT_EQ(f.total, Ps(230));
  EXPECT_EQ(f.union_time, Ps(170));
  EXPECT_EQ(f.durations.mean, Ps(57));
  EXPECT_EQ(f.durations.p50, Ps(30));
  EXPECT_EQ(f.durations.p99, Ps(100));
  EXPECT_EQ(f.durations.min, Ps(0));
  EXPECT_EQ(f.durations.max, Ps(100));
  EXPECT_EQ(f.streams, (std::vector<int64_t>{7, 9}));
  EXPECT_EQ(result.count, 5u);
  EXPECT_EQ(result.total, Ps(330));
  EXPECT_EQ(result.union_time, Ps(270));
  EXPECT_EQ(result.window, Ps(400));
  EXPECT_EQ(result.launches.unlinked, 5u);
}

TEST(Kernels, CopiesMemsetsAndAllocationsAreNone) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  maker.Event(stream, 0, 10, "MemcpyH2D", {{"memcpy_details", "size:4"}});
  maker.Event(stream, 10, 20, "Memset 4", {{"Memset_details", "num_bytes:4"}});
  maker.Event(stream, 20, 30, "__amd_rocclr_copyBuffer.kd");
  maker.Event(stream, 30, 40, "Something", {{"memalloc_details", "num_bytes:4"}});
  maker.Event(stream, 40, 50, "f");
  const KernelsResult result = Find(maker.Finish());
  ASSERT_EQ(result.kernels.size(), 1u);
  EXPECT_EQ(result.kernels[0].name, "f");
}

TEST(Kernels, SumsOverDevicesAndTellsNamesWithoutArgumentsApart) {
  Maker maker;
  const Maker::Row first = maker.Stream(maker.Gpu(0, kH200), 7);
  const Maker::Row second = maker.Stream(maker.Gpu(1, kH200), 8);
  maker.Gpu(2);  // did nothing
  for (const Maker::Row row : {first, second}) {
    for (int64_t i = 0; i < 30; ++i) {
      maker.Event(row, 10 * i, 10 * i + 5, std::string(1, static_cast<char>('a' + i % 3)));
    }
  }
  const KernelsResult result = Find(maker.Finish());
  ASSERT_EQ(result.kernels.size(), 3u);
  EXPECT_EQ(result.gpus, 2u);
  for (const Kernel& kernel : result.kernels) {
    EXPECT_EQ(kernel.count, 20u);
    EXPECT_EQ(kernel.union_time, Ps(100));
    EXPECT_EQ(kernel.streams, (std::vector<int64_t>{7, 8}));
    EXPECT_EQ(kernel.devices, (std::vector<std::string>{"GPU 0", "GPU 1"}));
    EXPECT_FALSE(kernel.occupancy);
    EXPECT_FALSE(kernel.computed);
  }
}

TEST(Kernels, OnlyTheTimeInsideCompleteStepsCounts) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  const Maker::Row thread = maker.Thread(maker.Host(), 1, "python3");
  for (int64_t step = 0; step < 3; ++step) {
    maker.Event(thread, 10 * step, 10 * step + 8, "train", {{"step_num", step}});
    maker.Event(thread, 10 * step + 1, 10 * step + 4, "f", {{"correlation_id", step}});
    maker.Event(stream, 100 * step + 50, 100 * step + 120, "f", {{"correlation_id", step}});
  }
  // Not a step's, and in part inside the window [120, 320).
  maker.Event(stream, 300, 500, "late");
  const KernelsResult result = Find(maker.Finish());
  EXPECT_EQ(result.steps, 2);
  EXPECT_EQ(result.window, Ps(200));
  ASSERT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(result.kernels[0].count, 2u);
  EXPECT_EQ(result.kernels[0].total, Ps(140));
  EXPECT_EQ(result.kernels[1].name, "late");
  EXPECT_EQ(result.kernels[1].total, Ps(20));
  EXPECT_EQ(result.kernels[1].durations.max, Ps(200));  // whole durations
  EXPECT_EQ(result.launches.calls, 2u);
  EXPECT_EQ(result.launches.durations.mean, Ps(3));
  EXPECT_EQ(result.launches.unlinked, 1u);
}

TEST(Kernels, AGraphLaunchIsOneLaunchOfManyKernels) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  const Maker::Row thread = maker.Thread(maker.Host(), 1, "python3");
  maker.Event(thread, 0, 5, "cuGraphLaunch (CudaGraph:275)", {{"correlation_id", 1}});
  maker.Event(thread, 6, 8, "f", {{"correlation_id", 2}});
  for (int64_t i = 0; i < 4; ++i) maker.Event(stream, 10 * i, 10 * i + 9, "f", {{"correlation_id", 1}});
  maker.Event(stream, 50, 60, "f", {{"correlation_id", 2}});
  const KernelsResult result = Find(maker.Finish());
  EXPECT_EQ(result.launches.calls, 2u);
  EXPECT_EQ(result.launches.graph_calls, 1u);
  EXPECT_EQ(result.launches.graph_kernels, 4u);
  EXPECT_EQ(result.launches.total, Ps(7));
}

TEST(Kernels, ShowsTheMostFrequentShapeAndTheRanges) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0, kH200), 7);
  const std::string common =
      "regs:74 static_shared:0 dynamic_shared:16384 grid:300,2,1 block:128,1,1 occ_pct:37.5";
  maker.Event(stream, 0, 10, "f", Details(1, common));
  maker.Event(stream, 10, 20, "f",
              Details(2, "regs:16 static_shared:0 dynamic_shared:0 grid:7,1,1 block:64,1,1"));
  maker.Event(stream, 20, 30, "f", Details(3, common));
  const KernelsResult result = Find(maker.Finish());
  const Kernel& f = result.kernels.at(0);
  EXPECT_EQ(f.shapes, 2u);
  EXPECT_EQ(f.shape.registers, 74);
  EXPECT_EQ(f.registers.min, 16);
  EXPECT_EQ(f.registers.max, 74);
  EXPECT_EQ(f.grid_blocks.max, 600);
  EXPECT_EQ(f.block_threads.min, 64);
  EXPECT_EQ(f.occupancy, 37.5);
  ASSERT_TRUE(f.computed.has_value());
  EXPECT_DOUBLE_EQ(f.computed->percent, 37.5);
  EXPECT_EQ(f.computed->limiter, Limiter::kRegisters);
  EXPECT_DOUBLE_EQ(f.waves.value(), 1.0);  // 600 blocks, 6 on each of 100 multiprocessors
}

TEST(Kernels, ManyShortOnesThatTheHostCannotLaunchFastEnough) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  const Maker::Row thread = maker.Thread(maker.Host(), 1, "python3");
  constexpr int64_t kMicro = 1'000'000;
  for (int64_t i = 0; i < 100; ++i) {
    maker.Event(thread, 50 * i * kMicro, (50 * i + 5) * kMicro, "f", {{"correlation_id", i}});
    maker.Event(stream, (50 * i + 6) * kMicro, (50 * i + 8) * kMicro, "f", {{"correlation_id", i}});
  }
  const KernelsResult result = Find(maker.Finish());
  EXPECT_TRUE(result.launch_bound);
  EXPECT_EQ(result.sizes[0].count, 100u);
  EXPECT_EQ(result.sizes[0].total, result.total);
}

TEST(Kernels, FewKernelsFarApartAreNotLaunchBound) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  const Maker::Row thread = maker.Thread(maker.Host(), 1, "python3");
  constexpr int64_t kMilli = 1'000'000'000;
  for (int64_t i = 0; i < 5; ++i) {
    maker.Event(thread, 30 * i * kMilli, 30 * i * kMilli + 5, "f", {{"correlation_id", i}});
    maker.Event(stream, 30 * i * kMilli + 6, 30 * i * kMilli + 60, "f", {{"correlation_id", i}});
  }
  EXPECT_FALSE(Find(maker.Finish()).launch_bound);
}

TEST(Kernels, ClassesOfSizesHaveTheirBorders) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  const int64_t micro = 1'000'000;
  int64_t at = 0;
  for (const int64_t duration : {10 * micro - 1, 10 * micro, 100 * micro, 1000 * micro}) {
    maker.Event(stream, at, at + duration, "f");
    at += duration;
  }
  const KernelsResult result = Find(maker.Finish());
  for (const SizeClass& size : result.sizes) EXPECT_EQ(size.count, 1u) << size.name;
  EXPECT_EQ(result.sizes[1].total, Microseconds(10));
}

// A program whose fusion multiplies two arrays of a type.
Program WithDot(ElementType type) {
  Program program;
  program.id = 1;
  program.name = "jit_f";
  gait::Shape shape;
  shape.type = type;
  program.shapes.push_back(shape);
  const auto add = [&](const char* name, const char* opcode, size_t computation) {
    Instruction instruction;
    instruction.name = program.strings.Intern(name);
    instruction.opcode = program.strings.Intern(opcode);
    instruction.shape = ShapeId(0);
    instruction.computation = ComputationIndex(computation);
    instruction.op_name = program.strings.Intern("jit(f)/layer_0");
    program.instructions.push_back(instruction);
  };
  add("p0", "parameter", 0);
  add("dot.1", "dot", 0);
  program.instructions[1].operands = {InstructionIndex(0), InstructionIndex(0)};
  add("gemm_fusion", "fusion", 1);
  program.instructions[2].called = {ComputationIndex(0)};
  add("add.1", "add", 1);
  for (const size_t begin : {0, 2}) {
    Computation computation;
    computation.begin = InstructionIndex(begin);
    computation.end = InstructionIndex(begin + 2);
    program.computations.push_back(computation);
  }
  program.entry = ComputationIndex(1);
  program.BuildIndex();
  return program;
}

TEST(Kernels, OperationsAndTensorCoresComeFromTheProgram) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  maker.Event(stream, 0, 10, "triton", {{"hlo_op", "gemm_fusion"}});
  maker.Event(stream, 10, 20, "triton", {{"hlo_op", "gemm_fusion"}});
  maker.Event(stream, 20, 25, "wrapped_add", {{"hlo_op", "add.1"}});
  maker.Event(stream, 25, 27, "somebody_s");
  maker.builder().AddProgram(WithDot(ElementType::kBf16));
  const InstructionRef dot{ProgramIndex(0), InstructionIndex(2)};
  const InstructionRef add{ProgramIndex(0), InstructionIndex(3)};
  const KernelsResult result = Find(maker.Finish({{"gemm_fusion", dot}, {"add.1", add}}));
  ASSERT_EQ(result.kernels.size(), 3u);
  EXPECT_EQ(result.kernels[0].operations, (std::vector<std::string>{"jit_f/gemm_fusion"}));
  EXPECT_EQ(result.kernels[0].scopes, (std::vector<std::string>{"jit(f)/layer_0"}));
  EXPECT_EQ(result.kernels[0].tensor_cores, TensorCores::kYes);
  EXPECT_EQ(result.kernels[1].tensor_cores, TensorCores::kNo);
  EXPECT_EQ(result.kernels[2].tensor_cores, TensorCores::kUnknown);
  EXPECT_EQ(result.kernels[2].work, WorkClass::kUnknown);
  EXPECT_TRUE(result.kernels[2].operations.empty());
}

TEST(TensorCores, A32BitDotIsUndecided) {
  EXPECT_EQ(TensorCoresByInstruction(WithDot(ElementType::kF32), InstructionIndex(2)), TensorCores::kUnknown);
  EXPECT_EQ(TensorCoresByInstruction(WithDot(ElementType::kF8E4M3Fn), InstructionIndex(2)),
            TensorCores::kYes);
}

TEST(TensorCores, ByNameOfLibraries) {
  for (const char* yes :
       {"nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT",
        "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_tn_align1>(Params)",
        "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute",
        "sm90_xmma_wgrad_indexed_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32",
        "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64",
        "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize32x32x64_stage3_warpsize2x2x1_tensor16x8x8_aligna4",
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3",
        "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN_1LDSB0.kd"}) {
    EXPECT_EQ(TensorCoresByName(yes), TensorCores::kYes) << yes;
  }
  for (const char* no :
       {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_tn_align1>(Params)",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL"}) {
    EXPECT_EQ(TensorCoresByName(no), TensorCores::kNo) << no;
  }
  for (const char* unknown : {"loop_add_fusion", "gemm_fusion_dot_1", "", "Cijk_x"}) {
    EXPECT_EQ(TensorCoresByName(unknown), TensorCores::kUnknown) << unknown;
  }
}

TEST(Kernels, AbsurdDurationsDoNotOverflow) {
  Maker maker;
  const Maker::Row stream = maker.Stream(maker.Gpu(0), 7);
  constexpr int64_t kHuge = int64_t{1} << 60;
  for (int i = 0; i < 40; ++i)
    maker.Event(stream, 0, 2 * kHuge, "f", {{"kernel_details", "grid:2147483648,2147483648,2147483648"}});
  const KernelsResult result = Find(maker.Finish());
  EXPECT_EQ(result.kernels.at(0).total, Ps(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(result.kernels.at(0).union_time, Ps(2 * kHuge));
  EXPECT_EQ(result.kernels.at(0).grid_blocks.max, std::numeric_limits<int64_t>::max());
}

TEST(KernelsReport, SaysWhyThereAreNone) {
  Maker tpu;
  const PlaneId plane = tpu.Plane("/device:TPU:0", PlaneKind::kTpu, 0);
  tpu.Event(tpu.Track(plane, 1, "XLA Ops", TrackKind::kOps), 0, 10, "fusion");
  const auto tpu_run = tpu.Finish();
  const report::Document on_tpu = KernelsDocument(*RunView::Make(*tpu_run, {}));
  EXPECT_EQ(on_tpu.answer, "No GPU kernels in what was selected.");
  EXPECT_EQ(on_tpu.tables[0].if_empty,
            "no kernels: a TPU runs the operations of programs, which gait ops runs/x shows");
  Maker empty;
  empty.Host();
  const auto empty_run = empty.Finish();
  const report::Document document = KernelsDocument(*RunView::Make(*empty_run, {}));
  EXPECT_EQ(document.tables[0].if_empty,
            "no kernels: the capture has no work of a GPU; gait info says what it holds");
  for (const report::Table& table : document.tables) {
    EXPECT_TRUE(table.rows.empty());
    for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
  }
}

}  // namespace
}  // namespace gait::analyze
