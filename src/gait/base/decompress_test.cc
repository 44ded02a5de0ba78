#include "gait/base/decompress.h"

#include <gtest/gtest.h>

#include <random>

#include "gait/base/memory_limit.h"
#include "gait/base/testing/compress.h"

namespace gait {
namespace {

using testing_support::Gzip;
using testing_support::Zstd;

// Text that compresses by a factor of two or so.
std::string Content(size_t size) {
  std::mt19937 random(7);
  std::string content(size, '\0');
  for (char& c : content) c = static_cast<char>('a' + random() % 13);
  return content;
}

struct Format {
  const char* name;
  Compression compression;
  std::string (*pack)(std::string_view);
};

class Decompressing : public testing::TestWithParam<Format> {
 protected:
  Result<Decompressed> Unpack(std::string_view packed) {
    EXPECT_EQ(DetectCompression(packed), GetParam().compression);
    return Decompress(packed, GetParam().compression, "file");
  }
  std::string Pack(std::string_view content) { return GetParam().pack(content); }
};

TEST_P(Decompressing, WholeStreamsOfEverySize) {
  // Among them sizes that end exactly where the output buffer does.
  const size_t mib = size_t{1} << 20;
  for (const size_t size : {size_t{1}, size_t{1000}, mib - 1, mib, mib + 1, 2 * mib, 4 * mib}) {
    const std::string content = Content(size);
    const auto result = Unpack(Pack(content));
    ASSERT_TRUE(result) << size;
    EXPECT_EQ(result->cut.why, "") << size;
    EXPECT_TRUE(result->data == content) << size;
  }
}

TEST_P(Decompressing, NothingIsNothing) {
  const auto result = Unpack(Pack(""));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->data, "");
  EXPECT_EQ(result->cut.why, "");
}

TEST_P(Decompressing, CutAnywhereGivesABeginningAndTheReason) {
  const std::string content = Content(20'000);
  const std::string packed = Pack(content);
  for (size_t size = 4; size < packed.size(); size += 1 + size / 50) {
    const auto result = Unpack(packed.substr(0, size));
    if (!result) {
      EXPECT_NE(result.error().what.find("ends early"), std::string::npos);
      continue;
    }
    EXPECT_NE(result->cut.why, "") << size;
    EXPECT_FALSE(result->cut.damaged) << size;
    EXPECT_TRUE(content.starts_with(result->data)) << size;
  }
}

TEST_P(Decompressing, TheLastByteMatters) {
  const std::string content = Content(300'000);  // several blocks: those before the last are there
  const std::string packed = Pack(content);
  const auto result = Unpack(packed.substr(0, packed.size() - 1));
  ASSERT_TRUE(result);
  EXPECT_NE(result->cut.why, "");
  EXPECT_GT(result->data.size(), 200'000U);
  EXPECT_TRUE(content.starts_with(result->data));
}

TEST_P(Decompressing, DamageIsNoticed) {
  const std::string content = Content(200'000);
  const std::string packed = Pack(content);
  size_t noticed = 0;
  for (size_t at = 20; at < packed.size(); at += packed.size() / 40) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto result = Unpack(damaged);
    noticed += !result || !result->cut.empty() || result->data != content;
    // Wrong content must never pass as whole where the format has a checksum.
    if (GetParam().compression == Compression::kGzip && result && result->cut.empty()) {
      EXPECT_TRUE(result->data == content) << at;
    }
  }
  EXPECT_GE(noticed, 35U);
}

TEST_P(Decompressing, SeveralStreamsInARowAreOne) {
  const auto result = Unpack(Pack("first ") + Pack("second ") + Pack(Content(3 << 20)) + Pack("last"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->cut.why, "");
  EXPECT_TRUE(result->data == "first second " + Content(3 << 20) + "last");
}

TEST_P(Decompressing, ACutSecondStreamIsNoticed) {
  const std::string second = Pack(Content(5'000));
  for (size_t size = 1; size < second.size(); size += 1 + size / 3) {
    const auto result = Unpack(Pack("first ") + second.substr(0, size));
    ASSERT_TRUE(result) << size;
    EXPECT_NE(result->cut.why, "") << size;
    EXPECT_TRUE(result->data.starts_with("first ")) << size;
  }
}

TEST_P(Decompressing, TrailingGarbageKeepsTheContentAndIsNoticed) {
  const auto result = Unpack(Pack("content") + "garbage");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->data, "content");
  EXPECT_NE(result->cut.why, "");
  EXPECT_TRUE(result->cut.damaged);  // nothing is missing
}

TEST_P(Decompressing, TrailingZerosArePadding) {
  const auto result = Unpack(Pack("content") + std::string(600, '\0'));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->data, "content");
  EXPECT_EQ(result->cut.why, "");
}

TEST_P(Decompressing, ABombIsRefused) {
  const std::string packed = Pack(std::string((2 << 20) + 1, '\0'));
  SetMemoryLimit(2 << 20);
  const auto result = Unpack(packed);
  SetMemoryLimit((2 << 20) + 1);
  const auto allowed = Unpack(packed);
  SetMemoryLimit(0);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().what.find("unpacks to more than 2 MiB"), std::string::npos);
  EXPECT_NE(result.error().hint, "");
  EXPECT_TRUE(allowed) << "however small it was";
}

TEST_P(Decompressing, TheLimitIsOfAllInputsTogether) {
  const std::string packed = Pack(std::string(1 << 20, 'x'));
  SetMemoryLimit(2 << 20);
  {
    auto first = Unpack(packed);
    ASSERT_TRUE(first);
    const Decompressed kept = *std::move(first);
    const auto second = Unpack(packed);
    ASSERT_TRUE(second) << "two fit";
    EXPECT_FALSE(Unpack(packed)) << "three do not";
  }
  EXPECT_TRUE(Unpack(packed)) << "what is gone holds nothing";
  SetMemoryLimit(0);
}

INSTANTIATE_TEST_SUITE_P(Formats, Decompressing,
                         testing::Values(Format{"gzip", Compression::kGzip, Gzip},
                                         Format{"zstd", Compression::kZstd, Zstd}),
                         [](const auto& format) { return format.param.name; });

TEST(Gzip, ATrailerThatLiesAboutTheSizeIsNotTrusted) {
  const std::string content = Content(5'000);
  for (const char lie : {'\x01', '\x7f', '\xff'}) {
    std::string packed = Gzip(content);
    packed[packed.size() - 2] = lie;
    const auto result = Decompress(packed, Compression::kGzip, "file");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->data, content);
    EXPECT_TRUE(result->cut.damaged);
  }
}

TEST(DetectCompression, KnowsTheSignatures) {
  EXPECT_EQ(DetectCompression(""), Compression::kNone);
  EXPECT_EQ(DetectCompression("\x1f\x8b"), Compression::kNone);
  EXPECT_EQ(DetectCompression("\x0a\x10plane"), Compression::kNone);
}

TEST(Decompress, PlainBytesPass) {
  const auto result = Decompress("bytes", Compression::kNone, "file");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->data, "bytes");
}

TEST(Decompress, NothingReadableIsAnError) {
  EXPECT_FALSE(Decompress("\x1f\x8b\x08", Compression::kGzip, "file"));
  EXPECT_FALSE(Decompress("\x28\xb5\x2f\xfd", Compression::kZstd, "file"));
}

}  // namespace
}  // namespace gait
