#include "gait/read/registry/registry.h"

#include <gtest/gtest.h>

namespace gait::read {
namespace {

TEST(FileOfName, StemAndFormat) {
  for (const std::string_view name : {"vm.xplane.pb", "vm.xplane.pb.gz", "vm.xplane.pb.zst"}) {
    const auto file = FileOfName(name);
    ASSERT_TRUE(file) << name;
    EXPECT_EQ(file->stem, "vm");
    EXPECT_EQ(file->format->name, "XPlane");
  }
  EXPECT_EQ(FileOfName("a.gz.xplane.pb")->stem, "a.gz");
  for (const std::string_view name :
       {".xplane.pb", ".xplane.pb.gz", "vm.xplane.pb.xz", "vm.xplane.pb.gz.gz", "vm.pb", "vm.gz", ""}) {
    EXPECT_FALSE(FileOfName(name)) << name;
  }
}

TEST(FormatOf, TheFirstForOtherNames) {
  EXPECT_EQ(&FormatOf("runs/vm.xplane.pb"), Formats().front());
  EXPECT_EQ(&FormatOf("-"), Formats().front());
  EXPECT_EQ(&FormatOf("dir.xplane.pb/notes"), Formats().front());
}

}  // namespace
}  // namespace gait::read
