#include "gait/capture/remote/token.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

namespace fs = std::filesystem;

class TokenTest : public testing::Test {
 protected:
  TokenTest() {
    std::string pattern = testing::TempDir() + "gait_token_XXXXXX";
    scratch_ = ::mkdtemp(pattern.data());
    ::unsetenv("GAIT_TOKEN");
    ::unsetenv("XDG_RUNTIME_DIR");
    ::setenv("TMPDIR", scratch_.c_str(), 1);
    folder_ = scratch_ / ("gait-" + std::to_string(::getuid()));
    fs::create_directory(folder_);
  }
  ~TokenTest() override {
    ::unsetenv("GAIT_TOKEN");
    ::unsetenv("TMPDIR");
    fs::remove_all(scratch_);
  }

  void Write(const fs::path& path, const std::string& text, mode_t mode = 0600) {
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
  }

  fs::path scratch_;
  fs::path folder_;
};

TEST_F(TokenTest, OfTheFileOfThePort) {
  EXPECT_FALSE(FindToken(9012));
  Write(folder_ / "9012.token", "secret");
  ASSERT_TRUE(FindToken(9012));
  EXPECT_EQ(FindToken(9012)->text, "secret");
  EXPECT_TRUE(FindToken(9012)->of_file);
  EXPECT_FALSE(FindToken(9013));
  ::setenv("GAIT_TOKEN", "given", 1);
  EXPECT_EQ(FindToken(9012)->text, "given");
  EXPECT_FALSE(FindToken(9012)->of_file);
}

TEST_F(TokenTest, NoLinkIsFollowedToAFileOfTheUser) {
  Write(scratch_ / "private_key", "-----BEGIN");
  fs::create_symlink(scratch_ / "private_key", folder_ / "9012.token");
  EXPECT_FALSE(FindToken(9012));
  fs::remove_all(folder_);
  fs::create_directory(scratch_ / "elsewhere");
  Write(scratch_ / "elsewhere" / "9012.token", "secret");
  fs::create_directory_symlink(scratch_ / "elsewhere", folder_);
  EXPECT_FALSE(FindToken(9012));
}

TEST_F(TokenTest, OnlyAPrivatePlainFile) {
  Write(folder_ / "9012.token", "secret", 0644);
  EXPECT_FALSE(FindToken(9012));
  ASSERT_EQ(::mkfifo((folder_ / "9013.token").c_str(), 0600), 0);
  EXPECT_FALSE(FindToken(9013));
  Write(folder_ / "9014.token", "");
  EXPECT_FALSE(FindToken(9014));
}

TEST_F(TokenTest, LeavesThisMachineNever) {
  const Token given{"t"};
  const Token of_file{"t", true};
  for (const char* ip : {"10.0.0.7", "192.0.2.1", "2001:db8::1", "12.7.0.0", "::2", "0.0.0.0", ""}) {
    EXPECT_FALSE(MayBeSentTo(given, ip)) << ip;
    EXPECT_FALSE(MayBeSentTo(of_file, ip)) << ip;
  }
  EXPECT_TRUE(MayBeSentTo(given, "127.0.0.1"));
  EXPECT_TRUE(MayBeSentTo(given, "127.0.0.2"));
  EXPECT_TRUE(MayBeSentTo(given, "::1"));
  EXPECT_TRUE(MayBeSentTo(of_file, "127.0.0.1"));
  EXPECT_FALSE(MayBeSentTo(of_file, "127.0.0.2"));
  EXPECT_FALSE(MayBeSentTo(of_file, "::1"));
}

}  // namespace
}  // namespace gait::capture::remote
