#include "gait/write/xplane_stats.h"

#include <vector>

#include <gtest/gtest.h>

#include "gait/base/bytes_source.h"
#include "gait/read/xplane/reader.h"

namespace gait::write {
namespace {

const std::vector<std::pair<std::string, std::string>> kVersions = {{"gait_version", "9.9.9"}};

TEST(PlaneStats, AreReadBackAndNothingElseChanges) {
  const Result<OpenedFile> file = OpenFile(std::string(GAIT_TEST_DATA) + "/h200/transfers.xplane.pb.gz");
  ASSERT_TRUE(file);
  const Result<Trace> before = xplane::ReadBytes(Bytes(std::string(file->bytes.view())), "before");
  const std::string bytes = WithPlaneStats(file->bytes.view(), "/host:metadata", kVersions);
  const Result<Trace> after = xplane::ReadBytes(Bytes(bytes), "after");
  ASSERT_TRUE(before && after);
  auto versions = before->environment().versions;
  versions["gait_version"] = "9.9.9";
  EXPECT_EQ(after->environment().versions, versions);
  EXPECT_EQ(after->event_count(), before->event_count());
  EXPECT_EQ(after->programs().size(), before->programs().size());
  EXPECT_EQ(after->losses().size(), before->losses().size());
}

TEST(PlaneStats, WithoutThePlaneNothingIsAdded) {
  const std::string space("\x0a\x03\x12\x01p\x22\x04host", 11);
  EXPECT_EQ(WithPlaneStats(space, "/host:metadata", kVersions), space);
  EXPECT_EQ(WithPlaneStats("", "p", kVersions), "");
}

}  // namespace
}  // namespace gait::write
