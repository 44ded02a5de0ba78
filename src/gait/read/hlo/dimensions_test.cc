// Batching dimensions: the CPU compiler of XLA removes them, so its text, our oracle, has none.
#include "gait/read/hlo/dimensions.h"

#include <gtest/gtest.h>

#include "gait/read/hlo/hlo_test_proto.h"

namespace gait::hlo {
namespace {

TEST(DimensionsText, BatchingDimensionsOfGatherAndScatter) {
  LossLog log;
  WireLosses losses(log, "test");
  const std::string bytes =
      Proto().Ints(1, {2}).Ints(2, {1}).Ints(3, {1, 4}).Int(4, 3).Ints(5, {0}).Ints(6, {5}).bytes();
  EXPECT_EQ(GatherText(bytes, losses),
            "offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1,4}, operand_batching_dims={0}, "
            "start_indices_batching_dims={5}, index_vector_dim=3");
  EXPECT_EQ(ScatterText(bytes, losses),
            "update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1,4}, "
            "input_batching_dims={0}, scatter_indices_batching_dims={5}, index_vector_dim=3");
}

}  // namespace
}  // namespace gait::hlo
