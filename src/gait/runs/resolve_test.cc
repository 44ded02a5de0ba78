#include "gait/runs/resolve.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "gait/base/testing/scratch_dir.h"

namespace gait::runs {
namespace {

using testing_support::ScratchDir;

class ResolveRunTest : public testing::Test {
 protected:
  ResolveRunTest() {
    older_ = dir_.Write("a/plugins/profile/2026_01_01_00_00_00/vm.xplane.pb");
    newer_ = dir_.Write("b/plugins/profile/2026_02_02_00_00_00/vm.xplane.pb");
  }

  ScratchDir dir_;
  std::string older_;
  std::string newer_;
};

TEST_F(ResolveRunTest, FileFolderAndLogDirectory) {
  EXPECT_EQ(ResolveRun(older_)->run.hosts[0].path, older_);
  EXPECT_EQ(ResolveRun(older_)->run.time_from, TimeFrom::kName);
  EXPECT_EQ(ResolveRun(dir_ / "a/plugins/profile/2026_01_01_00_00_00/")->run.hosts[0].path, older_);
  const auto newest = ResolveRun(dir_.path());
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->run.hosts[0].path, newer_);
  EXPECT_EQ(newest->note, "newest of 2 runs");
  EXPECT_EQ(ResolveRun(dir_ / "a")->note, "");
  EXPECT_EQ(ResolveRun(dir_ / "[a]")->note, "the only run");
}

TEST_F(ResolveRunTest, BareFilesAboveOtherRuns) {
  const std::string bare = dir_.Write("bare.xplane.pb");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 50);
  std::filesystem::last_write_time(bare, long_ago);
  EXPECT_EQ(ResolveRun(dir_.path())->run.hosts[0].path, newer_);
  EXPECT_EQ(ResolveRun(dir_.path())->note, "newest of 3 runs");
  EXPECT_EQ(ResolveRun(dir_.path() + "@3")->run.hosts[0].path, bare);
}

TEST_F(ResolveRunTest, ByPosition) {
  EXPECT_EQ(ResolveRun(dir_.path() + "@2")->run.hosts[0].path, older_);
  EXPECT_EQ(ResolveRun(dir_.path() + "@2")->note, "number 2 of 2 runs");
  EXPECT_EQ(ResolveRun(dir_.path() + "@3").error().what,
            dir_.path() + "@3: there are only 2 runs below '" + dir_.path() + "'.");
  EXPECT_EQ(ResolveRun(dir_.path() + "@0").error().kind, ErrorKind::kUsage);
  EXPECT_NE(ResolveRun(dir_.path() + "@99999999999999999999").error().what.find("only 2 runs"),
            std::string::npos);
}

TEST_F(ResolveRunTest, ByPattern) {
  EXPECT_EQ(ResolveRun(dir_ / "*")->run.hosts[0].path, newer_);
  EXPECT_EQ(ResolveRun(dir_ / "a*")->run.hosts[0].path, older_);
  EXPECT_EQ(ResolveRun(dir_ / "*@2")->run.hosts[0].path, older_);
  EXPECT_FALSE(ResolveRun(dir_ / "z*"));
}

TEST_F(ResolveRunTest, ARunThatAPatternFindsTwiceCountsOnce) {
  std::filesystem::create_directory_symlink("b", dir_ / "a_link");
  std::filesystem::create_directory_symlink(".", dir_ / "loop");
  EXPECT_EQ(ResolveRun(dir_ / "*@2")->run.hosts[0].path, older_);
  EXPECT_EQ(ResolveRun(dir_ / "*")->run.hosts[0].path, newer_);  // not the path through the link
  EXPECT_NE(ResolveRun(dir_ / "*@3").error().what.find("only 2 runs"), std::string::npos);
}

TEST_F(ResolveRunTest, ByName) {
  ::setenv("GAIT_LOGDIR", dir_.path().c_str(), 1);
  EXPECT_EQ(ResolveRun("2026_01_01_00_00_00")->run.hosts[0].path, older_);
  EXPECT_EQ(ResolveRun("a")->run.hosts[0].path, older_);
  EXPECT_EQ(ResolveRun("b/2026_02_02_00_00_00")->run.hosts[0].path, newer_);
  EXPECT_FALSE(ResolveRun("c"));
  const std::string again = dir_.Write("b/plugins/profile/2025_02_02_00_00_00/vm.xplane.pb");
  EXPECT_EQ(ResolveRun("b")->note, "newest of 2 runs called b");
  EXPECT_EQ(ResolveRun("b@2")->run.hosts[0].path, again);
  EXPECT_NE(ResolveRun("b@3").error().what.find("only 2 runs called b"), std::string::npos);
  ::unsetenv("GAIT_LOGDIR");
  EXPECT_FALSE(ResolveRun("2026_01_01_00_00_00"));
}

TEST_F(ResolveRunTest, APlaceThatIsSearchedTwiceCountsOnce) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  ::setenv("GAIT_LOGDIR", ".", 1);
  EXPECT_EQ(ResolveRun("2026_01_01_00_00_00")->note, "");
  ::unsetenv("GAIT_LOGDIR");
  std::filesystem::current_path(before);
}

TEST_F(ResolveRunTest, ListsWhatTheWordsCanMean) {
  const auto count = [](const std::string& spec) { return ListRuns(spec)->runs.size(); };
  EXPECT_EQ(count(dir_.path()), 2U);
  EXPECT_EQ(count(dir_ / "*"), 2U);
  EXPECT_EQ(count(dir_ / "a*"), 1U);
  EXPECT_EQ(count(older_), 1U);
  const auto second = ListRuns(dir_.path() + "@2");
  ASSERT_EQ(second->runs.size(), 1U);
  EXPECT_EQ(second->runs[0].hosts[0].path, older_);
  EXPECT_EQ(second->first, 2U);
  EXPECT_EQ(ListRuns("-").error().kind, ErrorKind::kUsage);
  ::setenv("GAIT_LOGDIR", dir_.path().c_str(), 1);
  EXPECT_EQ(count("a"), 1U);
  ::unsetenv("GAIT_LOGDIR");
  EXPECT_FALSE(ListRuns(dir_.path() + "@3"));
  EXPECT_FALSE(ListRuns(dir_ / "nothing"));
}

TEST_F(ResolveRunTest, Home) {
  ::setenv("HOME", dir_.path().c_str(), 1);
  EXPECT_EQ(ResolveRun("~/a")->run.hosts[0].path, older_);
}

TEST_F(ResolveRunTest, ErrorsSayWhatWasSeen) {
  std::filesystem::create_directory(dir_ / "empty");
  const auto none = ResolveRun(dir_ / "empty");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUnreadable);
  EXPECT_NE(none.error().what.find("no *.xplane.pb in any folder below (0 entries seen)"), std::string::npos);
  dir_.Write("packed/vm.xplane.pb.xz");
  EXPECT_NE(ResolveRun(dir_ / "packed").error().what.find("xz"), std::string::npos);
  EXPECT_NE(ResolveRun(dir_ / "packed/vm.xplane.pb.xz").error().hint.find("xz -dk"), std::string::npos);
  EXPECT_EQ(ResolveRun("").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace gait::runs
