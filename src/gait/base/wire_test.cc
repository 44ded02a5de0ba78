#include "gait/base/wire.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gait {
namespace {

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string VarintField(uint32_t number, uint64_t value) {
  return Varint(uint64_t{number} << 3) + Varint(value);
}

std::string BytesField(uint32_t number, std::string_view value) {
  return Varint(uint64_t{number} << 3 | 2) + Varint(value.size()) + std::string(value);
}

struct Walked {
  std::vector<uint32_t> numbers;
  std::vector<std::string> bytes;
  std::string trouble;
  bool cut = false;
};

Walked Walk(std::string_view message) {
  Walked walked;
  FieldWalker fields(message);
  while (fields.Next()) {
    walked.numbers.push_back(fields.number());
    if (fields.is_bytes()) walked.bytes.emplace_back(fields.bytes());
    walked.cut |= fields.cut();
  }
  EXPECT_FALSE(fields.Next());  // and stays at the end
  walked.trouble = fields.trouble();
  return walked;
}

using Numbers = std::vector<uint32_t>;

TEST(FieldWalker, WalksEveryKindOfField) {
  const std::string message = VarintField(1, 300) + BytesField(2, "abc") +
                              std::string(
                                  "\x19"
                                  "12345678",
                                  9) +
                              std::string(
                                  "\x25"
                                  "1234",
                                  5) +
                              BytesField(100'000, "");
  const Walked walked = Walk(message);
  EXPECT_EQ(walked.numbers, (Numbers{1, 2, 3, 4, 100'000}));
  EXPECT_EQ(walked.bytes, (std::vector<std::string>{"abc", ""}));
  EXPECT_EQ(walked.trouble, "");
}

TEST(FieldWalker, Integers) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, ~uint64_t{0}}) {
    const std::string message = VarintField(3, value);
    FieldWalker fields(message);
    ASSERT_TRUE(fields.Next());
    EXPECT_EQ(fields.integer(), static_cast<int64_t>(value));
    EXPECT_FALSE(fields.is_bytes());
    EXPECT_EQ(fields.bytes(), "");
  }
}

TEST(FieldWalker, AnEmptyMessageEndsCleanly) {
  EXPECT_TRUE(Walk("").numbers.empty());
  EXPECT_EQ(Walk("").trouble, "");
}

TEST(FieldWalker, ACutFieldIsReturnedClipped) {
  const std::string message = VarintField(1, 5) + BytesField(2, "abcdef");
  for (size_t left = 0; left < 6; ++left) {
    const Walked walked = Walk(std::string_view(message).substr(0, message.size() - 6 + left));
    EXPECT_EQ(walked.numbers, (Numbers{1, 2}));
    EXPECT_TRUE(walked.cut);
    EXPECT_EQ(walked.bytes.at(0), std::string_view("abcdef").substr(0, left));
    EXPECT_EQ(walked.trouble, "ends early");
  }
}

TEST(FieldWalker, EveryCutOfAMessageIsNoticedOrAtABorder) {
  const std::string message = VarintField(1, 300) + BytesField(2, "abc") + VarintField(70, 1);
  for (size_t size = 0; size < message.size(); ++size) {
    const bool border = size == 0 || size == 3 || size == 8;
    EXPECT_EQ(Walk(message.substr(0, size)).trouble.empty(), border) << size;
  }
}

TEST(FieldWalker, ALengthBeyondAllMemoryIsACut) {
  const Walked walked = Walk("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xyz");
  EXPECT_TRUE(walked.cut);
  EXPECT_EQ(walked.bytes.at(0), "xyz");
}

TEST(FieldWalker, MalformedBytesStopIt) {
  EXPECT_EQ(Walk(std::string("\x08") + std::string(10, '\xff') + "\x01").trouble,
            "a number is longer than ten bytes");
  EXPECT_EQ(Walk("\x08\xff").trouble, "ends inside a number");
  EXPECT_EQ(Walk("\x0b").trouble, "an impossible field type");
  EXPECT_EQ(Walk("\x0c").trouble, "an impossible field type");
  EXPECT_EQ(Walk("\x0f").trouble, "an impossible field type");
  EXPECT_EQ(Walk(std::string("\x80\x80\x80\x80\x80\x01\x00", 7)).trouble, "an impossible field number");
  EXPECT_EQ(Walk("\x05zzzz").trouble, "an impossible field number");
  EXPECT_EQ(Walk("\x19zzzz").trouble, "ends inside a number");
  EXPECT_EQ(Walk("\x25zzz").trouble, "ends inside a number");
}

TEST(FieldWalker, OneTrailingZeroIsNoTrouble) {
  for (const size_t zeros : {1, 2, 5000}) {
    const Walked walked = Walk(VarintField(1, 5) + std::string(zeros, '\0'));
    EXPECT_EQ(walked.numbers, (Numbers{1}));
    EXPECT_EQ(walked.trouble, zeros == 1 ? "" : "ends in zeros");
  }
  EXPECT_NE(Walk(VarintField(1, 5) + std::string("\0\0x", 3)).trouble, "");
}

TEST(FieldWalker, PositionCountsWhatWasWalked) {
  const std::string message = VarintField(1, 5) + BytesField(2, "abc");
  FieldWalker fields(message);
  EXPECT_EQ(fields.position(), 0U);
  fields.Next();
  EXPECT_EQ(fields.position(), 2U);
  fields.Next();
  EXPECT_EQ(fields.position(), message.size());
}

TEST(FieldWalker, PositionOfTroubleIsWhereTheFieldBegins) {
  const std::string damaged = VarintField(1, 5) + "\x0f" + std::string(100, 'x');
  FieldWalker fields(damaged);
  while (fields.Next()) {
  }
  EXPECT_EQ(fields.trouble(), "an impossible field type");
  EXPECT_EQ(fields.position(), 2U);

  const std::string cut = VarintField(1, 5) + BytesField(2, "abc").substr(0, 3);
  FieldWalker shorter(cut);
  while (shorter.Next()) {
  }
  EXPECT_EQ(shorter.position(), cut.size());
}

}  // namespace
}  // namespace gait
