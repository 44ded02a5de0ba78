#include "gait/read/hlo/sharding.h"

#include <gtest/gtest.h>

#include "gait/read/hlo/hlo_test_proto.h"

namespace gait::hlo {
namespace {

class ShardingTest : public testing::Test {
 protected:
  static Proto Axis(int64_t index) { return Proto().Int(1, index); }
  static Proto Dimension(const std::vector<int64_t>& axes) {
    Proto dimension;
    for (const int64_t axis : axes) dimension.Add(1, Axis(axis));
    return dimension;
  }
  // OpSharding with a NamedSharding over a mesh of these sizes.
  static Proto Named(const std::vector<int64_t>& sizes, const std::vector<Proto>& dimensions) {
    Proto mesh;
    for (const int64_t size : sizes) mesh.Add(1, Proto().Text(1, "a").Int(2, size));
    Proto named;
    named.Add(2, mesh);
    for (const Proto& dimension : dimensions) named.Add(3, dimension);
    return Proto().Add(14, named);
  }
  std::string Text(const Proto& proto) { return ShardingText(proto.bytes(), losses); }

  LossLog log;
  WireLosses losses{log, "test"};
};

TEST_F(ShardingTest, NamedAxesAreTiles) {
  EXPECT_EQ(Text(Named({4}, {Dimension({0})})), "devices=[4]<=[4]");
  EXPECT_EQ(Text(Named({2, 2}, {Dimension({0})})), "devices=[2,2]<=[4] last_tile_dim_replicate");
  EXPECT_EQ(Text(Named({2, 3}, {Dimension({1})})), "devices=[3,2]<=[2,3]T(1,0) last_tile_dim_replicate");
  EXPECT_EQ(Text(Named({2, 3}, {Dimension({}), Dimension({1, 0})})), "devices=[1,6]<=[2,3]T(1,0)");
}

TEST_F(ShardingTest, NoNamedAxisIsReplicated) {
  EXPECT_EQ(Text(Named({2, 2}, {Dimension({}), Dimension({})})), "");
  EXPECT_EQ(Text(Named({1, 1}, {Dimension({0})})), "");
  EXPECT_EQ(Text(Named({}, {})), "");
}

TEST_F(ShardingTest, WhatTilesCannotSayIsStillTold) {
  const Proto twice = Named({2, 2}, {Dimension({0}), Dimension({0})});
  const Proto beyond = Named({2}, {Dimension({1})});
  const Proto huge = Named({int64_t{1} << 40, int64_t{1} << 40}, {Dimension({0})});
  for (const Proto& senseless : {twice, beyond, huge}) EXPECT_FALSE(Text(senseless).empty());
  EXPECT_NE(Text(twice), Text(beyond));
}

}  // namespace
}  // namespace gait::hlo
