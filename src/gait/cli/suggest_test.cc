#include "gait/cli/suggest.h"

#include <array>

#include <gtest/gtest.h>

namespace gait::cli {
namespace {

TEST(Suggest, NearWordsOnly) {
  constexpr std::array<std::string_view, 4> kWords = {"list", "info", "dump", "hlo"};
  EXPECT_EQ(Suggest("lst", kWords), "list");
  EXPECT_EQ(Suggest("inof", kWords), "info");
  EXPECT_EQ(Suggest("hol", kWords), "");
  EXPECT_EQ(Suggest("capture", kWords), "");
  constexpr std::string_view kLong[] = {"gpu_max_activity_api_events", "gpu_max_callback_api_events"};
  EXPECT_EQ(Suggest("gpu_max_activty", kLong), "gpu_max_activity_api_events");
  EXPECT_EQ(Suggest("gpu_m", kLong), "");
  EXPECT_EQ(Suggest("", kWords), "");
}

}  // namespace
}  // namespace gait::cli
