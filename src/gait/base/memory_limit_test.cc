#include "gait/base/memory_limit.h"

#include <gtest/gtest.h>

namespace gait {
namespace {

TEST(ParseSize, SizesThatPeopleType) {
  EXPECT_EQ(ParseSize("100000"), 100'000u);
  EXPECT_EQ(ParseSize("4GB"), size_t{4} << 30);
  EXPECT_EQ(ParseSize("4g"), size_t{4} << 30);
  EXPECT_EQ(ParseSize("512 MiB"), size_t{512} << 20);
  EXPECT_EQ(ParseSize("64kb"), size_t{64} << 10);
}

TEST(ParseSize, EverythingElseIsNone) {
  for (const char* text : {"", "GB", "-1", "-1GB", "0", "1.5GB", "4XB", "4GBB", "99999999999TB", "4 G B x"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(MemoryLimit, OfTheEnvironment) {
  ASSERT_EQ(::setenv("GAIT_MAX_MEMORY", "4GB", 1), 0);
  EXPECT_EQ(MemoryLimit(), size_t{4} << 30);
  ASSERT_EQ(::unsetenv("GAIT_MAX_MEMORY"), 0);
  EXPECT_GT(MemoryLimit(), size_t{1} << 20);
}

}  // namespace
}  // namespace gait
