#include "gait/analyze/question/kernels/kernel_name.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gait::analyze {
namespace {

using Names = std::vector<std::string>;

TEST(KernelName, Demangles) {
  EXPECT_EQ(Demangle("_Z3addPf"), "add(float*)");
  EXPECT_EQ(Demangle("_Z3addPf.kd"), "add(float*).kd");
  EXPECT_EQ(Demangle("loop_add_fusion"), "loop_add_fusion");
  EXPECT_EQ(Demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(Demangle(""), "");
}

TEST(KernelName, AWordStaysAsItIs) {
  EXPECT_EQ(ShortKernelNames(Names{"loop_add_fusion", "nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT", "copy.kd"}),
            (Names{"loop_add_fusion", "nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT", "copy"}));
}

TEST(KernelName, AloneItIsItsLastName) {
  EXPECT_EQ(
      ShortKernelNames(Names{
          "stream_executor::gpu::(anonymous namespace)::DelayKernel(stream_executor::GpuSemaphoreState "
          "volatile*, stream_executor::GpuSemaphoreState)",
          "void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::cublasSplitKParams<float>)"}),
      (Names{"DelayKernel", "splitKreduce_kernel"}));
}

TEST(KernelName, OnlyTheArgumentsThatDiffer) {
  EXPECT_EQ(ShortKernelNames(Names{"void reduce<32, 16, int, float>(float*)",
                                   "void reduce<32, 8, int, float>(float*)",
                                   "void reduce<32, 8, int, half>(float*)"}),
            (Names{"reduce<…, 16, …, float>", "reduce<…, 8, …, float>", "reduce<…, 8, …, half>"}));
}

TEST(KernelName, AWrapperSaysWhatItWraps) {
  EXPECT_EQ(ShortKernelNames(Names{
                "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128>(cutlass_80_tensorop::Params)"}),
            (Names{"Kernel2<cutlass_80_tensorop_s1688gemm_128x128>"}));
}

TEST(KernelName, NamespacesAndParametersWhereNothingElseDiffers) {
  EXPECT_EQ(ShortKernelNames(Names{"a::scale(float*)", "b::scale(float*)"}), (Names{"a::scale", "b::scale"}));
  EXPECT_EQ(ShortKernelNames(Names{"scale(float*)", "scale(double*)"}),
            (Names{"scale(float*)", "scale(double*)"}));
  EXPECT_EQ(ShortKernelNames(Names{"copy", "copy.kd"}), (Names{"copy", "copy.kd"}));
}

TEST(KernelName, ALongWordKeepsItsHeadAndWhatDiffers) {
  const std::string head = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1";
  const std::string tail = "_SN_1LDSB0_APM1_ABV0_ACED0_AF0EM1_AF1EM1_AMAS3_ASE_ASGT";
  EXPECT_EQ(ShortKernelNames(Names{head + tail}), (Names{head + "_…"}));
  EXPECT_EQ(ShortKernelNames(Names{head + tail + "_K1_X", head + tail + "_K2_X"}),
            (Names{head + "_…_K1_…", head + "_…_K2_…"}));
}

TEST(KernelName, TwoKernelsNeverLookAlike) {
  const Names names = {"f",
                       "f<1>()",
                       "f<1>(int)",
                       "f<2>(int)",
                       "a::f<1>(int)",
                       "void a::f<1>(int)",
                       "f<…>",
                       "",
                       "::",
                       "<",
                       ">",
                       "()",
                       "a::",
                       "operator()<1>(int)",
                       "f<g<1>, (h)2>(int) const",
                       "f<g<1>, (h)3>(int) const",
                       "f(int) [clone .1]",
                       "f(int) [clone .2]",
                       std::string(5000, 'x'),
                       std::string(5000, 'x') + "y",
                       std::string(100, '_'),
                       std::string(101, '_')};
  const Names result = ShortKernelNames(names);
  ASSERT_EQ(result.size(), names.size());
  EXPECT_EQ(std::set<std::string>(result.begin(), result.end()).size(), names.size());
}

TEST(KernelName, EqualNamesStayEqual) {
  EXPECT_EQ(ShortKernelNames(Names{"a::f<1>(int)", "a::f<1>(int)"}), (Names{"f", "f"}));
  EXPECT_TRUE(ShortKernelNames(Names{}).empty());
}

}  // namespace
}  // namespace gait::analyze
