#include "gait/analyze/collectives/collective_kind.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(CollectiveKinds, OfOpcodes) {
  EXPECT_EQ(KindOfOpcode("all-reduce"), CollectiveKind::kAllReduce);
  EXPECT_EQ(KindOfOpcode("all-gather-start"), CollectiveKind::kAllGather);
  EXPECT_EQ(KindOfOpcode("collective-permute-done"), CollectiveKind::kCollectivePermute);
  EXPECT_EQ(KindOfOpcode("ragged-all-to-all"), CollectiveKind::kRaggedAllToAll);
  EXPECT_EQ(KindOfOpcode("send-done"), CollectiveKind::kSend);
  EXPECT_FALSE(KindOfOpcode("reduce"));
  EXPECT_FALSE(KindOfOpcode("copy-start"));
}

TEST(CollectiveKinds, OfKernelNames) {
  const auto kind = [](std::string_view name) { return Name(KindOfKernel(name)); };
  EXPECT_EQ(kind("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"), "all-reduce");
  EXPECT_EQ(kind("ncclDevKernel_AllGather_RING_LL128"), "all-gather");
  EXPECT_EQ(kind("ncclKernel_ReduceScatter_RING_SIMPLE_Sum_float(ncclWorkElem)"), "reduce-scatter");
  EXPECT_EQ(kind("ncclDevKernel_SendRecv(ncclDevComm*, unsigned long)"), "send/recv");
  EXPECT_EQ(kind("ncclDevKernel_Broadcast_RING_LL"), "collective-broadcast");
  EXPECT_EQ(kind("rcclAllToAll"), "all-to-all");
  EXPECT_EQ(kind("nvshmemi_alltoall_kernel"), "all-to-all");
  EXPECT_EQ(kind("OneShotAllReduceKernel<float>"), "all-reduce");
  EXPECT_EQ(kind("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)"), "other");
  EXPECT_EQ(kind("mscclKernel(AllReduce)"), "other");  // what stands in brackets is an argument
}

TEST(CollectiveKinds, Factors) {
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(SizeFactor(CollectiveKind::kAllReduce, 8), 1);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(SizeFactor(CollectiveKind::kAllGather, 8), 8);
  EXPECT_DOUBLE_EQ(SizeFactor(CollectiveKind::kReduceScatter, 4), 4);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllToAll, 2), 0.5);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kCollectivePermute, 2), 1);
}

class Messages : public ::testing::Test {
 protected:
  InstructionIndex Add(std::string_view opcode, std::vector<InstructionIndex> operands, ShapeId shape) {
    Instruction instruction;
    instruction.opcode = program_.strings.Intern(opcode);
    instruction.operands = std::move(operands);
    instruction.shape = shape;
    program_.instructions.push_back(std::move(instruction));
    return InstructionIndex(program_.instructions.size() - 1);
  }
  ShapeId Array(ElementType type, std::vector<int64_t> dimensions) {
    Shape shape;
    shape.type = type;
    shape.dimensions = std::move(dimensions);
    program_.shapes.push_back(std::move(shape));
    return ShapeId(program_.shapes.size() - 1);
  }
  std::optional<int64_t> Bytes(InstructionIndex i, CollectiveKind kind, int64_t n) {
    program_.BuildIndex();
    return MessageBytes(program_, program_[i], kind, n);
  }

  Program program_;
};

TEST_F(Messages, AreOperandsAsNcclCountsThem) {
  const ShapeId wide = Array(ElementType::kF32, {256});
  const ShapeId half = Array(ElementType::kBf16, {100});
  const InstructionIndex a = Add("parameter", {}, wide);
  const InstructionIndex b = Add("parameter", {}, half);
  const InstructionIndex all = Add("all-reduce", {a, b}, wide);
  EXPECT_EQ(Bytes(all, CollectiveKind::kAllReduce, 8), 1024 + 200);
  EXPECT_EQ(Bytes(Add("reduce-scatter", {a}, wide), CollectiveKind::kReduceScatter, 8), 128);
  EXPECT_EQ(Bytes(Add("reduce-scatter", {a}, wide), CollectiveKind::kReduceScatter, 0), std::nullopt);
  EXPECT_EQ(Bytes(Add("collective-permute-start", {a, b}, wide), CollectiveKind::kCollectivePermute, 2),
            1024);
  EXPECT_EQ(Bytes(Add("all-reduce", {}, wide), CollectiveKind::kAllReduce, 2), std::nullopt);
}

}  // namespace
}  // namespace gait::analyze
