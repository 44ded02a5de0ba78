#include "gait/base/bytes_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "gait/base/decompress.h"
#include "gait/base/testing/compress.h"

namespace gait {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

namespace fs = std::filesystem;

// A folder of its own for a test, removed with everything in it.
class BytesSource : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "gait_bytes_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& content) {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string Path(const std::string& name) { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

std::string Pattern(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 23 + i / 4096 % 3);
  return text;
}

TEST_F(BytesSource, MapsAFile) {
  const std::string content = Pattern(100'000);
  const auto opened = OpenFile(Write("plain", content));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->bytes.view(), content);
  EXPECT_EQ(opened->cut.why, "");
}

TEST_F(BytesSource, ReleasedPagesComeBack) {
  const std::string content = Pattern(100'000);
  const auto opened = OpenFile(Write("plain", content));
  ASSERT_TRUE(opened);
  opened->bytes.Release(opened->bytes.view());
  opened->bytes.Release(opened->bytes.view().substr(5000, 50'000));
  opened->bytes.Release(opened->bytes.view().substr(7, 1));
  opened->bytes.Release({});
  EXPECT_EQ(opened->bytes.view(), content);
}

TEST_F(BytesSource, ReleaseOfOwnedBytesKeepsThem) {
  const Bytes bytes(Pattern(20'000));
  bytes.Release(bytes.view());
  EXPECT_EQ(bytes.view(), Pattern(20'000));
}

TEST_F(BytesSource, MovesKeepTheContent) {
  auto opened = OpenFile(Write("plain", "content"));
  ASSERT_TRUE(opened);
  Bytes moved = std::move(opened->bytes);
  Bytes again(std::string("other"));
  again = std::move(moved);
  EXPECT_EQ(again.view(), "content");
}

TEST_F(BytesSource, AnEmptyFileIsEmpty) {
  const auto opened = OpenFile(Write("empty", ""));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->bytes.view(), "");
}

TEST_F(BytesSource, ReadsAFifo) {
  const std::string path = Path("fifo");
  const std::string content = Pattern(300'000);  // several buffers
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path, std::ios::binary) << content; });
  const auto opened = OpenFile(path);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->bytes.view(), content);
}

TEST_F(BytesSource, UnwrapsWhatComesThroughAFifo) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer(
      [&] { std::ofstream(path, std::ios::binary) << testing_support::Gzip(Pattern(300'000)); });
  const auto opened = OpenFile(path);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->bytes.view(), Pattern(300'000));
}

TEST_F(BytesSource, AFifoThatNobodyWritesToIsAnError) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto opened = OpenFile(path, {.fifo_wait_ms = 20});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("fifo: a FIFO that nobody writes to"), std::string::npos);
  EXPECT_NE(opened.error().hint, "");
}

TEST_F(BytesSource, ASlowWriterOfAFifoIsWaitedFor) {
  using namespace std::chrono_literals;
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int fifo = open(path.c_str(), O_RDWR);  // there from the start, but silent for longer than the wait
  ASSERT_GE(fifo, 0);
  std::jthread writer([&] {
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(write(fifo, "one ", 4), 4);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(write(fifo, "two", 3), 3);
    close(fifo);
  });
  const auto opened = OpenFile(path, {.fifo_wait_ms = 20});
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_EQ(opened->bytes.view(), "one two");
}

TEST_F(BytesSource, ATerminalIsRefusedAtOnce) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) GTEST_SKIP() << "no terminals here";
  const std::string path = ptsname(terminal);
  const auto opened = OpenFile(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("is a terminal"), std::string::npos);

  const int before = dup(STDIN_FILENO);
  const int other = open(path.c_str(), O_RDWR | O_NOCTTY);
  ASSERT_EQ(dup2(other, STDIN_FILENO), STDIN_FILENO);
  const auto standard_input = OpenFile("-");
  dup2(before, STDIN_FILENO);
  for (const int fd : {before, other, terminal}) close(fd);
  ASSERT_FALSE(standard_input);
  EXPECT_EQ(standard_input.error().what, "standard input is a terminal");
}

std::optional<Error> RefuseZeros(std::string_view head) {
  if (head.find_first_not_of('\0') != std::string_view::npos) return std::nullopt;
  return Error{ErrorKind::kUnreadable, "zeros", ""};
}

TEST_F(BytesSource, TheHeadOfAnEndlessInputIsEnoughToRefuseIt) {
  const auto opened = OpenFile("/dev/zero", {.check = RefuseZeros});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().what, "zeros");
}

TEST_F(BytesSource, TheHeadOfCompressedInputIsNotJudged) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string packed = testing_support::Gzip(Pattern(300'000)) + std::string(100'000, '\0');
  std::jthread writer([&] { std::ofstream(path, std::ios::binary) << packed; });
  const auto refuse = [](std::string_view) { return Error{ErrorKind::kUnreadable, "refused", ""}; };
  const auto opened = OpenFile(path, {.check = refuse});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->bytes.view(), Pattern(300'000));
}

TEST_F(BytesSource, ADirectoryIsNotAProfile) {
  const auto opened = OpenFile(Path(""));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kUnreadable);
  EXPECT_NE(opened.error().what.find("is a directory"), std::string::npos);
}

TEST_F(BytesSource, AMissingFileIsNamed) {
  const auto opened = OpenFile(Path("nowhere"));
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("nowhere: No such file"), std::string::npos);
  EXPECT_NE(opened.error().hint, "");
}

TEST_F(BytesSource, PermissionDeniedSaysWhatToDo) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = Write("secret", "x");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  const auto opened = OpenFile(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("Permission denied"), std::string::npos);
  EXPECT_NE(opened.error().hint.find("permissions"), std::string::npos);
}

TEST_F(BytesSource, GzipAndZstdFilesAreUnwrapped) {
  const std::string content = Pattern(200'000);
  for (const std::string& packed : {testing_support::Gzip(content), testing_support::Zstd(content)}) {
    const auto opened = OpenFile(Write("packed", packed));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->bytes.view(), content);
    EXPECT_EQ(opened->cut.why, "");
  }
}

TEST_F(BytesSource, ACutFileSaysSo) {
  const std::string packed = testing_support::Gzip(Pattern(200'000));
  const auto opened = OpenFile(Write("packed", packed.substr(0, packed.size() - 9)));
  ASSERT_TRUE(opened);
  EXPECT_NE(opened->cut.why, "");
}

TEST(ReadAll, OneByteAtATimeWithInterruptions) {
  const std::string content = Pattern(3'000);
  size_t at = 0;
  bool interrupt = true;
  const auto all = ReadAll(
      [&](char* buffer, size_t size) -> int64_t {
        interrupt = !interrupt;
        if (interrupt) {
          errno = EINTR;
          return -1;
        }
        if (at == content.size()) return 0;
        EXPECT_GT(size, 0U);
        *buffer = content[at++];
        return 1;
      },
      "pipe");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->view(), content);
}

TEST(ReadAll, GrowsBeyondItsFirstBuffer) {
  size_t left = 1 << 20;
  const auto all = ReadAll(
      [&](char* buffer, size_t size) -> int64_t {
        const size_t n = std::min({size, left, size_t{9'973}});
        std::memset(buffer, 'x', n);
        left -= n;
        return static_cast<int64_t>(n);
      },
      "pipe");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->view(), std::string(1 << 20, 'x'));
}

TEST(ReadAll, ChecksTheHeadOnceAndReadsOn) {
  size_t left = 1 << 20;
  std::vector<size_t> heads;
  const auto all = ReadAll(
      [&](char* buffer, size_t size) -> int64_t {
        const size_t n = std::min({size, left, size_t{9'973}});
        std::memset(buffer, 'x', n);
        left -= n;
        return static_cast<int64_t>(n);
      },
      "pipe",
      [&](std::string_view head) -> std::optional<Error> {
        heads.push_back(head.size());
        return std::nullopt;
      });
  ASSERT_TRUE(all);
  EXPECT_EQ(all->view().size(), size_t{1} << 20);
  EXPECT_EQ(heads, std::vector<size_t>{limits::kHeadBytes});
}

// The most memory that this process had since the peak was last set back, in KiB; 0 where that cannot be
// told.
size_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    size_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

TEST(ReadAll, HoldsTheInputOnce) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's realloc copies";
  std::ofstream("/proc/self/clear_refs") << 5;  // sets the peak back
  const size_t before = PeakMemory();
  constexpr size_t kInput = (size_t{64} << 20) + 1;  // just beyond a doubling
  size_t left = kInput;
  const auto all = ReadAll(
      [&](char* buffer, size_t size) -> int64_t {
        const size_t n = std::min({size, left, size_t{1} << 20});
        std::memset(buffer, 'x', n);
        left -= n;
        return static_cast<int64_t>(n);
      },
      "pipe");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->view().size(), kInput);
  if (before == 0) GTEST_SKIP() << "the peak of memory is not told here";
  EXPECT_LT(PeakMemory() - before, kInput / 1024 * 11 / 10);
}

TEST(ReadAll, AnErrorIsAnError) {
  const auto all = ReadAll(
      [](char*, size_t) -> int64_t {
        errno = EIO;
        return -1;
      },
      "pipe");
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().what.find("pipe: "), std::string::npos);
}

}  // namespace
}  // namespace gait
