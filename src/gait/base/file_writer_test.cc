#include "gait/base/file_writer.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

namespace gait {
namespace {

class FileWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "gait_writer_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string Content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static mode_t Mode(const std::string& path) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
  }
  size_t Files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

TEST_F(FileWriterTest, WritesWhole) {
  const std::string path = folder_ / "a.xplane.pb";
  const std::string content(8'000'000, 'x');
  double last = 0;
  const auto progress = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  ASSERT_TRUE(WriteFile(path, {content}, {.progress = progress}));
  EXPECT_EQ(Content(path), content);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(FileWriterTest, ReplacesAndMayBeEmpty) {
  const std::string path = folder_ / "a";
  ASSERT_TRUE(WriteFile(path, {"fir", "st"}));
  ASSERT_TRUE(WriteFile(path, {""}));
  EXPECT_EQ(Content(path), "");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(FileWriterTest, KeepsSpaceFree) {
  const std::string path = folder_ / "a";
  const Result<void> written = WriteFile(path, {"x"}, {.keep_free = uint64_t{1} << 60});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().hint.find("disk is full"), std::string::npos);
  EXPECT_EQ(Files(), 0u);
}

TEST_F(FileWriterTest, WhatIsNotCommittedIsNotThere) {
  const std::string path = folder_ / "a";
  ASSERT_TRUE(WriteFile(path, {"old"}));
  {
    Result<FileWriter> writer = FileWriter::Open(path);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->Write("new"));
    EXPECT_EQ(Files(), 2u);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path() == path) continue;
      EXPECT_EQ(Mode(entry.path()) & 0777, 0600u) << "nobody else's until it has its name";
    }
  }
  EXPECT_EQ(Content(path), "old");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(FileWriterTest, TheModeIsThatOfAnyNewFileOrOfTheOldOne) {
  const std::string path = folder_ / "a";
  std::ofstream(folder_ / "usual") << "x";
  ASSERT_TRUE(WriteFile(path, {"x"}));
  EXPECT_EQ(Mode(path), Mode(folder_ / "usual"));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(path, {"y"}));
  EXPECT_EQ(Mode(path) & 07777, 0640u);
}

TEST_F(FileWriterTest, ASecretIsItsUsersAlone) {
  const std::string path = folder_ / "token";
  ASSERT_TRUE(WriteFile(path, {"x"}, {.only_own = true}));
  EXPECT_EQ(Mode(path) & 07777, 0600u);
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  ASSERT_TRUE(WriteFile(path, {"y"}, {.only_own = true}));
  EXPECT_EQ(Mode(path) & 07777, 0600u);
}

TEST_F(FileWriterTest, LinksAreFollowed) {
  std::filesystem::create_directory(folder_ / "real");
  std::filesystem::create_symlink("real/b", folder_ / "relative");
  std::filesystem::create_symlink(folder_ / "relative", folder_ / "absolute");
  for (const char* content : {"made", "replaced"}) {
    ASSERT_TRUE(WriteFile(folder_ / "absolute", {content}));
    EXPECT_EQ(Content(folder_ / "real" / "b"), content);
  }
  EXPECT_TRUE(S_ISLNK(Mode(folder_ / "absolute")) && S_ISLNK(Mode(folder_ / "relative")));
  std::filesystem::create_symlink("circle", folder_ / "circle");
  EXPECT_FALSE(WriteFile(folder_ / "circle", {"x"}));
  EXPECT_FALSE(WriteFile(folder_ / "real", {"x"})) << "a folder";
}

TEST_F(FileWriterTest, LinksOfOthersInSharedFoldersAreNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a link another user's";
  ASSERT_TRUE(WriteFile(folder_ / "precious", {"x"}));
  std::filesystem::create_directory(folder_ / "shared");
  ASSERT_EQ(::chmod((folder_ / "shared").c_str(), 01777), 0);
  std::filesystem::create_symlink(folder_ / "precious", folder_ / "shared" / "report.html");
  EXPECT_TRUE(WriteFile(folder_ / "shared" / "report.html", {"own"}));
  ASSERT_EQ(::lchown((folder_ / "shared" / "report.html").c_str(), 12'345, 12'345), 0);
  EXPECT_FALSE(WriteFile(folder_ / "shared" / "report.html", {"trapped"}));
  EXPECT_EQ(Content(folder_ / "precious"), "own");
}

TEST_F(FileWriterTest, WhatIsNoRegularFileIsWrittenTo) {
  ASSERT_TRUE(WriteFile("/dev/null", {"x"}));
  EXPECT_TRUE(S_ISCHR(Mode("/dev/null")));
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Content(fifo); });
  const Result<void> written = WriteFile(fifo, {"through"});
  reader.join();
  ASSERT_TRUE(written);
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(S_ISFIFO(Mode(fifo)));
}

TEST_F(FileWriterTest, AnOpenFileIsWrittenTo) {
  const std::string path = folder_ / "a";
  std::ofstream(path) << "before, ";
  const Descriptor open = Descriptor::Open(path.c_str(), O_WRONLY | O_APPEND);
  struct stat before{}, after{};
  ASSERT_EQ(::fstat(open.get(), &before), 0);
  ASSERT_TRUE(WriteFile("/proc/self/fd/" + std::to_string(open.get()), {"after"}));
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(Content(path), "before, after");
}

TEST_F(FileWriterTest, ADeviceThatIsFullIsAnError) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const Result<void> written = WriteFile("/dev/full", {"x"});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().hint.find("disk is full"), std::string::npos);
}

TEST_F(FileWriterTest, MissingFolderIsAnError) {
  const Result<void> written = WriteFile(folder_ / "none" / "a", {"x"});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().what.find("No such file"), std::string::npos);
}

TEST_F(FileWriterTest, TheOldFileStaysAfterAnError) {
  const std::string path = folder_ / "a";
  ASSERT_TRUE(WriteFile(path, {"old"}));
  ASSERT_FALSE(WriteFile(path, {"new"}, {.keep_free = uint64_t{1} << 60}));
  EXPECT_EQ(Content(path), "old");
}

TEST_F(FileWriterTest, ALongNameLeavesRoomForItsEnding) {
  const std::string path = folder_ / std::string(255, 'n');
  ASSERT_TRUE(WriteFile(path, {"x"}));
  EXPECT_EQ(Content(path), "x");
}

}  // namespace
}  // namespace gait
