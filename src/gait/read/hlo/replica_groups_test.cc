#include "gait/read/hlo/replica_groups.h"

#include <gtest/gtest.h>

#include "gait/read/hlo/hlo_test_proto.h"

namespace gait::hlo {
namespace {

using Lists = std::vector<std::vector<int64_t>>;

class ReplicaGroupsTest : public testing::Test {
 protected:
  static Proto Axis(std::string_view name, int64_t size) { return Proto().Text(1, name).Int(2, size); }

  LossLog log;
  WireLosses losses{log, "test"};
  GroupBudget budget{1000};
};

TEST_F(ReplicaGroupsTest, DeviceListWithLists) {
  const Proto list =
      Proto().Add(1, Proto().Ints(1, {0, 1})).Add(1, Proto().Int(1, 2).Int(1, 3));  // packed or not
  const ReplicaGroups groups = ReadDeviceList(list.bytes(), budget, losses);
  EXPECT_EQ(groups.groups, (Lists{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups.group_size, 2);
}

TEST_F(ReplicaGroupsTest, IotaIsReshapedAndTransposed) {
  // [2,4]<=[4,2]T(1,0)
  const Proto iota = Proto().Int(1, 2).Int(2, 4).Ints(3, {4, 2}).Ints(4, {1, 0});
  EXPECT_EQ(ReadIotaList(iota.bytes(), budget, losses).groups, (Lists{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  // [4,2]<=[8]
  const Proto plain = Proto().Int(1, 4).Int(2, 2).Ints(3, {8});
  EXPECT_EQ(ReadDeviceList(Proto().Add(2, plain).bytes(), budget, losses).groups,
            (Lists{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_TRUE(log.losses().empty());
}

TEST_F(ReplicaGroupsTest, MeshAxes) {
  const Proto mesh = Proto().Add(1, Axis("data", 2)).Add(1, Axis("model", 4));
  const auto groups = [&](const Proto& axes) {
    return ReadMeshAxes(Proto().Add(1, mesh).bytes() + axes.bytes(), budget, losses);
  };
  EXPECT_EQ(groups(Proto().Add(2, Proto().Int(1, 1))).groups, (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups(Proto().Add(2, Proto())).groups, (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  // The outer half of an axis: model is split into 2 x 2 and the first part taken.
  const Proto half = Proto().Int(1, 1).Add(2, Proto().Int(1, 1).Int(2, 2));
  EXPECT_EQ(groups(Proto().Add(2, half)).groups, (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  // Both axes, the second one first.
  EXPECT_EQ(groups(Proto().Add(2, Proto().Int(1, 1)).Add(2, Proto())).groups,
            (Lists{{0, 4, 1, 5, 2, 6, 3, 7}}));
  EXPECT_EQ(groups(Proto().Add(2, half)).group_size, 2);
  EXPECT_TRUE(log.losses().empty());
}

TEST_F(ReplicaGroupsTest, MeshWithItsOwnDeviceOrder) {
  const Proto mesh = Proto().Add(1, Axis("x", 2)).Add(1, Axis("y", 2)).Ints(2, {3, 2, 1, 0});
  const Proto list = Proto().Add(1, mesh).Add(2, Proto().Int(1, 1));
  EXPECT_EQ(ReadMeshAxes(list.bytes(), budget, losses).groups, (Lists{{3, 2}, {1, 0}}));
}

TEST_F(ReplicaGroupsTest, TooManyKeepTheSizeOnly) {
  const Proto iota = Proto().Int(1, 1).Int(2, 1'000'000'000).Ints(3, {1'000'000'000});
  const ReplicaGroups groups = ReadIotaList(iota.bytes(), budget, losses);
  EXPECT_TRUE(groups.groups.empty());
  EXPECT_EQ(groups.group_size, 1'000'000'000);
  ASSERT_EQ(log.losses().size(), 1u);
  EXPECT_EQ(log.losses()[0].kind, LossKind::kCapped);
}

TEST_F(ReplicaGroupsTest, WhatDoesNotFitIsALoss) {
  for (const Proto& bad :
       {Proto().Int(1, 2).Int(2, 4).Ints(3, {7}), Proto().Int(1, 2).Int(2, 4).Ints(3, {8, 0}),
        Proto().Int(1, 2).Int(2, 4).Ints(3, {4, 2}).Ints(4, {1, 1}),
        Proto().Int(1, -2).Int(2, -4).Ints(3, {8})}) {
    EXPECT_TRUE(ReadIotaList(bad.bytes(), budget, losses).groups.empty());
  }
  const Proto mesh = Proto().Add(1, Axis("x", 4));
  for (const Proto& axis :
       {Proto().Int(1, 1), Proto().Int(1, -1), Proto().Add(2, Proto().Int(1, 3).Int(2, 2)),
        Proto().Add(2, Proto().Int(1, 0).Int(2, 2))}) {
    EXPECT_TRUE(ReadMeshAxes(Proto().Add(1, mesh).Add(2, axis).bytes(), budget, losses).groups.empty());
  }
  ASSERT_EQ(log.losses().size(), 1u);
  EXPECT_EQ(log.losses()[0].count, 8u);
}

}  // namespace
}  // namespace gait::hlo
