#include "gait/analyze/device/work_class.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(WorkClass, ByOpcodeAndByName) {
  EXPECT_EQ(ClassOfOpcode("all-reduce-start"), WorkClass::kCommunication);
  EXPECT_EQ(ClassOfOpcode("collective-permute"), WorkClass::kCommunication);
  EXPECT_EQ(ClassOfOpcode("copy-done"), WorkClass::kCopy);
  EXPECT_EQ(ClassOfOpcode("copy"), WorkClass::kCompute);
  EXPECT_EQ(ClassOfOpcode("fusion"), WorkClass::kCompute);
  EXPECT_EQ(ClassOfKernel("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)"), WorkClass::kCommunication);
  EXPECT_EQ(ClassOfKernel("MemcpyH2D"), WorkClass::kCopy);
  EXPECT_EQ(ClassOfKernel("__amd_rocclr_copyBuffer.kd"), WorkClass::kCopy);
  for (const char* name :
       {"loop_add_fusion", "nvjet_hsh_128x128", "void cutlass::Kernel2<cutlass_80_tensorop_bf16>(Params)",
        "triton_softmax", "cudnn_infer", "Im3d2Col.kd", "wrapped_broadcast"}) {
    EXPECT_EQ(ClassOfKernel(name), WorkClass::kCompute) << name;
  }
  for (const char* name :
       {"stream_executor::gpu::RedzoneAllocatorKernelImpl(unsigned char*, unsigned long)", "somebody's"}) {
    EXPECT_EQ(ClassOfKernel(name), WorkClass::kUnknown) << name;
  }
}

}  // namespace
}  // namespace gait::analyze
