#include "gait/analyze/inspect/shardings.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(Shardings, InWords) {
  const auto words = [](const char* text, size_t dimensions) {
    return ParseSharding(text, dimensions, 8).InWords();
  };
  EXPECT_EQ(words("", 2), "replicated");
  EXPECT_EQ(words("devices=[8,1]<=[8]", 2), "split 8 ways along dimension 0");
  EXPECT_EQ(words("devices=[1,4,2]<=[8] last_tile_dim_replicate", 2),
            "split 4 ways along dimension 1, 2 copies");
  EXPECT_EQ(words("devices=[2,4]<=[8]", 2), "split 2 ways along dimension 0 and 4 ways along dimension 1");
  EXPECT_EQ(words("devices=[1,1,8]<=[8] last_tile_dim_replicate", 2), "replicated");
  EXPECT_EQ(words("maximal device=3", 1), "only on device 3");
  EXPECT_EQ(words("manual", 2), "not known");
  EXPECT_EQ(words("devices=[8]<=[8]", 2), "not known");  // fewer tiles than dimensions say nothing
}

TEST(Shardings, CopiesOfAPart) {
  EXPECT_EQ(ParseSharding("", 2, 8).copies, 8);
  EXPECT_EQ(ParseSharding("devices=[8,1]<=[8]", 2, 8).copies, 1);
  EXPECT_EQ(ParseSharding("devices=[1,4,2]<=[8] last_tile_dim_replicate", 2, 8).copies, 2);
}

TEST(Shardings, OnlyProgramsOfSeveralPartitionsAreListed) {
  LoadedRun run;
  EXPECT_TRUE(ShardingsTable(run).hidden);
}

}  // namespace
}  // namespace gait::analyze
