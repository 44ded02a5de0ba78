#include "gait/capture/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace gait::capture {
namespace {

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "gait_capture_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Content(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  size_t Files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

TEST_F(AtomicFile, WritesWhole) {
  const std::string path = folder_ / "a.xplane.pb";
  const std::string content(8'000'000, 'x');
  double last = 0;
  const auto progress = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  ASSERT_TRUE(WriteAtomically(path, {content}, {.progress = progress}));
  EXPECT_EQ(Content(path), content);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(AtomicFile, ReplacesAndMayBeEmpty) {
  const std::string path = folder_ / "a";
  ASSERT_TRUE(WriteAtomically(path, {"fir", "st"}));
  ASSERT_TRUE(WriteAtomically(path, {""}));
  EXPECT_EQ(Content(path), "");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(AtomicFile, KeepsSpaceFree) {
  const std::string path = folder_ / "a";
  const Result<void> written = WriteAtomically(path, {"x"}, {.keep_free = uint64_t{1} << 60});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().hint.find("disk is full"), std::string::npos);
  EXPECT_EQ(Files(), 0u);
}

TEST_F(AtomicFile, FullDiskLeavesNothing) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP();
  // The partial name of this process, as a link to the device on which every write fails.
  const std::string path = folder_ / "a";
  std::filesystem::create_symlink("/dev/full", folder_ / (".a." + std::to_string(::getpid()) + ".partial"));
  const Result<void> written = WriteAtomically(path, {"x"});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().hint.find("disk is full"), std::string::npos);
  EXPECT_EQ(Files(), 0u);
}

TEST_F(AtomicFile, MissingFolderIsAnError) {
  const Result<void> written = WriteAtomically(folder_ / "none" / "a", {"x"});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().what.find("No such file"), std::string::npos);
}

TEST_F(AtomicFile, TheOldFileStaysAfterAnError) {
  const std::string path = folder_ / "a";
  ASSERT_TRUE(WriteAtomically(path, {"old"}));
  ASSERT_FALSE(WriteAtomically(path, {"new"}, {.keep_free = uint64_t{1} << 60}));
  EXPECT_EQ(Content(path), "old");
}

}  // namespace
}  // namespace gait::capture
