#include "gait/capture/remote/run_folder.h"

#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    std::string pattern = testing::TempDir() + "gait_folder_XXXXXX";
    scratch_ = ::mkdtemp(pattern.data());
  }
  ~RunFolderTest() override { std::filesystem::remove_all(scratch_); }

  std::filesystem::path scratch_;
};

TEST_F(RunFolderTest, StaysWithAFileInIt) {
  std::string path;
  {
    const Result<RunFolder> folder = RunFolder::Make(scratch_ / "a" / "runs");
    ASSERT_TRUE(folder.has_value()) << folder.error().what;
    path = folder->path();
    EXPECT_EQ(std::filesystem::path(path).parent_path(), scratch_ / "a" / "runs" / "plugins" / "profile");
    std::ofstream(folder->File("x")) << "x";
  }
  EXPECT_TRUE(std::filesystem::exists(path + "/x"));
}

TEST_F(RunFolderTest, GoesWithoutOneAndLeavesWhatWasThere) {
  std::filesystem::create_directories(scratch_ / "runs" / "plugins");
  {
    const Result<RunFolder> folder = RunFolder::Make(scratch_ / "runs");
    ASSERT_TRUE(folder.has_value());
    EXPECT_TRUE(std::filesystem::exists(folder->path()));
  }
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "runs" / "plugins"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "runs" / "plugins" / "profile"));
}

TEST_F(RunFolderTest, TwoOfOneSecondDiffer) {
  const Result<RunFolder> first = RunFolder::Make(scratch_);
  const Result<RunFolder> second = RunFolder::Make(scratch_);
  const Result<RunFolder> third = RunFolder::Make(scratch_);
  ASSERT_TRUE(first.has_value() && second.has_value() && third.has_value());
  EXPECT_NE(first->path(), second->path());
  EXPECT_NE(second->path(), third->path());
}

TEST_F(RunFolderTest, AFileInTheWayIsSaid) {
  std::ofstream(scratch_ / "runs") << "x";
  const Result<RunFolder> folder = RunFolder::Make(scratch_ / "runs");
  ASSERT_FALSE(folder.has_value());
  EXPECT_NE(folder.error().what.find("cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace gait::capture::remote
