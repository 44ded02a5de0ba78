// One capture, read in every way: one thread and eight, plain, gzip and zstd, mapped and byte by byte. All
// give the same trace. Also run with the tsan preset, where eight threads show what they share:
//   cmake --preset tsan && ninja -C build/tsan gait_read_xplane_test
//   build/tsan/bin/gait_read_xplane_test --gtest_filter='*SameReading*'
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "gait/base/testing/compress.h"
#include "gait/read/xplane/reader.h"
#include "gait/trace/testing/same_trace.h"

namespace gait::xplane {
namespace {

namespace fs = std::filesystem;
using gait::testing_support::SameTrace;

class SameReading : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "gait_same_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const auto file = OpenFile(GAIT_TEST_DATA "/" + GetParam() + ".xplane.pb.gz");
    ASSERT_TRUE(file) << file.error().what;
    content_ = file->bytes.view();
    expected_ = Must(ReadBytes(Bytes(content_), "expected", {1, {}}));
    ASSERT_GT(expected_.event_count(), 0U);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Trace Must(Result<Trace> trace) {
    EXPECT_TRUE(trace) << trace.error().what;
    return trace ? std::move(*trace) : Trace();
  }
  void ExpectSame(Result<Trace> trace, const char* how) {
    std::string why;
    EXPECT_TRUE(SameTrace(expected_, Must(std::move(trace)), &why)) << how << ": " << why;
  }
  std::string Write(const std::string& name, const std::string& bytes) {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }

  fs::path folder_;
  std::string content_;
  Trace expected_;
};

TEST_P(SameReading, ThreadsAndWrappingsDoNotMatter) {
  for (int round = 0; round < 3; ++round)
    ExpectSame(ReadBytes(Bytes(content_), "x", {8, {}}), "eight threads");
  ExpectSame(ReadBytes(Bytes(gait::testing_support::Gzip(content_)), "x", {8, {}}), "gzip");
  ExpectSame(ReadBytes(Bytes(gait::testing_support::Zstd(content_)), "x", {1, {}}), "zstd");
  ExpectSame(ReadFile(Write("vm.xplane.pb", content_), {8, {}}), "mapped");
  ExpectSame(ReadFile(Write("vm.xplane.pb.gz", gait::testing_support::Gzip(content_)), {1, {}}), "gzip file");

  size_t at = 0;
  const auto one_byte = [&](char* buffer, size_t) -> int64_t {
    if (at == content_.size()) return 0;
    *buffer = content_[at++];
    return 1;
  };
  auto bytes = ReadAll(one_byte, "bytes");
  ASSERT_TRUE(bytes);
  ExpectSame(ReadBytes(Bytes(std::move(*bytes)), "x", {8, {}}), "byte by byte");

  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(fifo, std::ios::binary) << content_; });
  ExpectSame(ReadFile(fifo, {8, {}}), "through a FIFO");
}

TEST_P(SameReading, ACutFileIsReadTheSameByManyThreads) {
  const std::string cut = content_.substr(0, content_.size() * 2 / 3);
  expected_ = Must(ReadBytes(Bytes(cut), "x", {1, {}}));
  ExpectSame(ReadBytes(Bytes(cut), "x", {8, {}}), "eight threads");
}

INSTANTIATE_TEST_SUITE_P(Captures, SameReading,
                         testing::Values("h200/gpt", "h200/transfers", "h200/gpt_without_graphs",
                                         "cpu/one_device", "cpu/eight_devices",
                                         "cpu/two_processes/plugins/profile/run/host1", "graphs/scan"),
                         [](const auto& capture) {
                           std::string name = capture.param;
                           for (char& c : name) c = c == '/' ? '_' : c;
                           return name;
                         });

TEST(SameTrace, SeesADifference) {
  const auto read = [](const std::string& name) {
    Result<Trace> trace = ReadFile(GAIT_TEST_DATA "/" + name + ".xplane.pb.gz");
    EXPECT_TRUE(trace);
    return std::move(*trace);
  };
  std::string why;
  EXPECT_FALSE(SameTrace(read("cpu/two_processes/plugins/profile/run/host0"),
                         read("cpu/two_processes/plugins/profile/run/host1"), &why));
  EXPECT_NE(why, "");
}

}  // namespace
}  // namespace gait::xplane
