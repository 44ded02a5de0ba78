#include "gait/base/file_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace gait {
namespace {

constexpr size_t kPages = 4 * 4096;

// A file of ones that exists until the end of the test.
class OpenTestFile {
 public:
  explicit OpenTestFile(size_t size) : fd_(mkstemp(name_.data())) {
    const std::string ones(size, '1');
    EXPECT_EQ(write(fd_, ones.data(), size), static_cast<ssize_t>(size));
  }
  ~OpenTestFile() {
    close(fd_);
    unlink(name_.c_str());
  }
  int fd() const { return fd_; }
  FileMap Map() const {
    struct stat info = {};
    EXPECT_EQ(fstat(fd_, &info), 0);
    return *FileMap::Open(fd_, info);
  }

 private:
  std::string name_ = testing::TempDir() + "gait_file_map_XXXXXX";  // mkstemp fills in the end
  int fd_;
};

TEST(FileMap, ShowsTheFile) {
  const OpenTestFile file(kPages - 100);
  const FileMap map = file.Map();
  EXPECT_EQ(map.view(), std::string(kPages - 100, '1'));
  EXPECT_FALSE(map.changed());
}

TEST(FileMap, WhatTheWriterTakesAwayReadsAsZeros) {
  const OpenTestFile file(kPages);
  const FileMap map = file.Map();
  const FileMap untouched = file.Map();
  ASSERT_EQ(ftruncate(file.fd(), 4096), 0);
  EXPECT_EQ(map.view().substr(0, 4096), std::string(4096, '1'));
  EXPECT_EQ(map.view().substr(4096), std::string(kPages - 4096, '\0'));
  EXPECT_EQ(untouched.view().back(), '\0');
  EXPECT_TRUE(map.changed());
}

TEST(FileMap, SeesThatTheFileWasWrittenTo) {
  const OpenTestFile file(kPages);
  const FileMap map = file.Map();
  const struct timespec later[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(futimens(file.fd(), later), 0);
  EXPECT_TRUE(map.changed());
}

TEST(FileMap, MovesAndGivesPagesBack) {
  const OpenTestFile file(kPages);
  FileMap map = file.Map();
  map.Release(map.view());
  const FileMap moved = std::move(map);
  EXPECT_EQ(moved.view()[5000], '1');
}

TEST(FileMap, OtherFaultsAreOthers) {
  const OpenTestFile file(kPages);
  const FileMap map = file.Map();
  EXPECT_DEATH(std::raise(SIGBUS), "");
}

}  // namespace
}  // namespace gait
